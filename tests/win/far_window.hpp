// A fixture: a window's share of a way to other nodes that is a stand-in, in a job of one rank.
#pragma once

#include <gtest/gtest.h>

#include <cstdint>
#include <memory>
#include <optional>

#include "tests/support/job.hpp"
#include "win/construct/construct.hpp"
#include "win/construct/dismantle.hpp"
#include "win/route/remote_window.hpp"

namespace oriel::win {

// `Fabric`: of tests/win/stand_in_fabric.hpp. Requires: what it was told to begin has completed
// when the fixture ends.
template <class Fabric>
class FarWindow : public ::testing::Test {
 protected:
  FarWindow() {
    const window_options options;
    construction c;
    c.base = datatype::of<std::uint64_t>();
    c.count = 8;
    c.promised = assertion::shared_lock;
    c.options = &options;
    core_ = build(oriel::testing::world(), c);
    far_.emplace(*core_, way_, 1, false);
  }
  ~FarWindow() override {
    far_.reset();
    dismantle(std::move(core_)).or_throw();
  }

  Fabric way_;
  std::unique_ptr<detail::window_core> core_;
  std::optional<remote_window> far_;
};

}  // namespace oriel::win
