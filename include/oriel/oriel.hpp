// Everything that programs on oriel include.
#pragma once

#include "oriel/any_window.hpp"
#include "oriel/assertion.hpp"
#include "oriel/atomic_op.hpp"
#include "oriel/datatype.hpp"
#include "oriel/errc.hpp"
#include "oriel/flush.hpp"
#include "oriel/info.hpp"
#include "oriel/memory_kinds.hpp"
#include "oriel/rank.hpp"
#include "oriel/session.hpp"
#include "oriel/shape.hpp"
#include "oriel/statistics.hpp"
#include "oriel/task.hpp"
#include "oriel/team.hpp"
#include "oriel/when_all.hpp"
#include "oriel/window.hpp"
