// A vendor's library that brings down whoever loads it.
#include <cstdlib>

namespace {

struct breaks {
  breaks() { std::abort(); }
};
const breaks when_loaded;

}  // namespace
