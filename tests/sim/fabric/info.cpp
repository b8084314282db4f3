// What libfabric says of its providers: of the simulated one.
#include <netinet/in.h>
#include <rdma/fabric.h>
#include <rdma/fi_domain.h>
#include <rdma/fi_endpoint.h>
#include <rdma/fi_errno.h>

#include <cstdlib>
#include <cstring>
#include <string>

#include "tests/sim/fabric/network.hpp"

namespace oriel::sim {
namespace {

char* copied(const char* text) {
  return text == nullptr ? nullptr : strdup(text);
}

void describe(fi_info& i, const provider_traits& t, int rail) {
  i.caps = FI_MSG | FI_RMA;
  i.addr_format = FI_FORMAT_UNSPEC;
  if (t.rails > 1) {
    i.addr_format = FI_SOCKADDR_IN;
    i.src_addr = new sockaddr_in{};
  }
  i.fabric_attr->prov_name = strdup(t.name.c_str());
  i.domain_attr->name = strdup(("sim" + std::to_string(rail)).c_str());
  i.domain_attr->data_progress = t.progresses_alone ? FI_PROGRESS_AUTO : FI_PROGRESS_MANUAL;
  i.domain_attr->mr_mode =
      (t.wants_registration ? FI_MR_LOCAL : 0) |
      (t.chooses_keys ? FI_MR_VIRT_ADDR | FI_MR_PROV_KEY | FI_MR_ALLOCATED : 0);
  i.domain_attr->mr_key_size = 8;
  i.domain_attr->cq_data_size = t.data_bytes;
  i.ep_attr->max_msg_size = t.longest;
  i.tx_attr->msg_order = i.rx_attr->msg_order = t.order;
  i.tx_attr->inject_size = t.inject_size;
}

}  // namespace
}  // namespace oriel::sim

extern "C" {

fi_info* fi_dupinfo(const fi_info* of) {
  auto* const made = new fi_info{};
  made->tx_attr = new fi_tx_attr{};
  made->rx_attr = new fi_rx_attr{};
  made->ep_attr = new fi_ep_attr{};
  made->domain_attr = new fi_domain_attr{};
  made->fabric_attr = new fi_fabric_attr{};
  if (of == nullptr) return made;
  made->caps = of->caps;
  made->mode = of->mode;
  made->addr_format = of->addr_format;
  if (of->src_addr != nullptr)
    made->src_addr = new sockaddr_in(*static_cast<sockaddr_in*>(of->src_addr));
  *made->tx_attr = *of->tx_attr;
  *made->rx_attr = *of->rx_attr;
  *made->ep_attr = *of->ep_attr;
  *made->domain_attr = *of->domain_attr;
  made->domain_attr->name = oriel::sim::copied(of->domain_attr->name);
  *made->fabric_attr = *of->fabric_attr;
  made->fabric_attr->prov_name = oriel::sim::copied(of->fabric_attr->prov_name);
  return made;
}

void fi_freeinfo(fi_info* i) {
  while (i != nullptr) {
    fi_info* const next = i->next;
    std::free(i->domain_attr->name);
    std::free(i->fabric_attr->prov_name);
    delete static_cast<sockaddr_in*>(i->src_addr);
    delete i->tx_attr;
    delete i->rx_attr;
    delete i->ep_attr;
    delete i->domain_attr;
    delete i->fabric_attr;
    delete i;
    i = next;
  }
}

int fi_getinfo(std::uint32_t, const char*, const char*, std::uint64_t, const fi_info* wanted,
               fi_info** found) {
  const auto& traits = oriel::sim::network::of_run().traits();
  if ((wanted->caps & FI_HMEM) != 0 || traits.name != wanted->fabric_attr->prov_name)
    return -FI_ENODATA;
  for (int rail = 0; rail < traits.rails; ++rail, found = &(*found)->next) {
    *found = fi_dupinfo(nullptr);
    oriel::sim::describe(**found, traits, rail);
  }
  return 0;
}

std::uint32_t fi_version() {
  return FI_VERSION(1, 17);
}

const char* fi_strerror(int code) {
  return std::strerror(code);
}
}
