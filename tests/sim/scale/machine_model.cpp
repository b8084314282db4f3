#include "tests/sim/scale/machine_model.hpp"

#include <rdma/fabric.h>

namespace oriel::sim {

std::optional<machine_model> machine_named(const std::string& name, int nodes,
                                           std::string& why_not) {
  if (name != "flat") return simgrid_machine(name, nodes, why_not);
  machine_model flat;
  flat.name = name;
  flat.source = "no machine: 1 us between any two nodes";
  flat.provider = adapter_like("cxi");
  flat.route_between = [](int, int) -> const route& {
    static const route any{std::chrono::microseconds(1)};
    return any;
  };
  return flat;
}

provider_traits adapter_like(const std::string& provider) {
  provider_traits t;
  t.name = provider;
  t.order = FI_ORDER_SAS;
  t.progresses_alone = true;
  if (provider == "cxi") {
    t.wakes = false;
    t.inject_size = 192;
  } else {
    t.order |= FI_ORDER_SAW | FI_ORDER_WAW | FI_ORDER_RAW;
    t.confirms_delivery = false;
    t.wants_registration = t.chooses_keys = true;
    t.data_bytes = 4;
  }
  return t;
}

}  // namespace oriel::sim
