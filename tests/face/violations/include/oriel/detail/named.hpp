// A name that programs would have to take from detail/.
namespace oriel {

struct named {
  int value = 0;
};

namespace detail {
struct internal {};
}  // namespace detail
}  // namespace oriel
