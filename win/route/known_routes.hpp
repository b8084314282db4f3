// The routes there are. A session has its own list, so that a program may add to it; windows made
// afterwards use the new one too.
#pragma once

#include <vector>

#include "win/route/route.hpp"

namespace oriel::detail {
class session_state;
}

namespace oriel::win {

namespace routes {
extern const route self;           // self.cpp
extern const route load_store;     // load_store.cpp
extern const route own_device;     // ipc.cpp
extern const route ipc;            // ipc.cpp
extern const route ipc_unlinked;   // ipc.cpp
extern const route cma;            // cma.cpp
extern const route owner_mail;     // owner_mail.cpp
extern const route by_segment;     // by_segment.cpp
extern const route fabric;         // fabric.cpp
extern const route attached;       // attached.cpp
extern const route owner_message;  // owner_message.cpp
extern const route nowhere;        // owner_message.cpp
}  // namespace routes

struct known_routes {
  known_routes() = default;
  explicit known_routes(detail::session_state&) {}  // as an extension of the session

  std::vector<const route*> all{&routes::self,       &routes::own_device,    &routes::load_store,
                                &routes::ipc,        &routes::ipc_unlinked,  &routes::cma,
                                &routes::owner_mail, &routes::by_segment,    &routes::fabric,
                                &routes::attached,   &routes::owner_message, &routes::nowhere};
};

}  // namespace oriel::win
