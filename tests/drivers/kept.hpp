// What a test driver makes for a program that may leave it to the end of the process, as oriel
// leaves its streams: a vendor may be gone by then. The driver remembers it, so that a search for
// leaks finds who has it.
#pragma once

#include <mutex>
#include <set>
#include <vector>

namespace oriel::test_driver {

template <class T>
class kept {
 public:
  static T* make(T* object) {
    const std::lock_guard hold{lock()};
    all().insert(object);
    return object;
  }
  static void destroy(T* object) {
    const std::lock_guard hold{lock()};
    all().erase(object);
    delete object;
  }
  // What `of(object)` gives of each, none of which is destroyed meanwhile.
  template <class Of>
  static auto from_each(Of of) {
    const std::lock_guard hold{lock()};
    std::vector<decltype(of(static_cast<T*>(nullptr)))> found;
    for (T* const object : all()) found.push_back(of(object));
    return found;
  }

 private:
  static std::mutex& lock() {
    static std::mutex mutex;
    return mutex;
  }
  static std::set<T*>& all() {
    static auto& objects = *new std::set<T*>;
    return objects;
  }
};

}  // namespace oriel::test_driver
