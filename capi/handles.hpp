// What the C face's handles point to: the C++ object, and nothing else. For the C functions and for
// layers that give out such handles.
#pragma once

#include "oriel/any_window.hpp"
#include "oriel/datatype.hpp"
#include "oriel/info.hpp"
#include "oriel/oriel.h"
#include "oriel/request.hpp"
#include "oriel/session.hpp"
#include "oriel/team.hpp"

struct oriel_session {
  oriel::session session;
};
struct oriel_team {
  oriel::team team;
};
struct oriel_window {
  oriel::any_window any;
};
struct oriel_request {
  oriel::request request;
};
struct oriel_datatype {
  oriel::datatype type;
};
struct oriel_info {
  oriel::info pairs;
};
