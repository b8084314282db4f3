// MPI_T_pvar_*: oriel's performance variables beside the host's. Sessions are the host's; a handle
// of one of oriel's variables is an object here, which the host never sees.
#include <algorithm>
#include <cstring>
#include <memory>
#include <mutex>
#include <new>
#include <vector>

#include "mpi/host.hpp"
#include "mpi/performance_variables.hpp"

namespace oriel::mpi {
namespace {

// A variable of one window.
struct bound_variable {
  MPI_T_pvar_session session;
  const performance_variable* which;
  MPI_Win window;
};

// Those that programs have handles of. Threads: any.
class bound_variables {
 public:
  bound_variable* add(const bound_variable& one) {
    const std::lock_guard hold(changing_);
    all_.push_back(std::make_unique<bound_variable>(one));
    return all_.back().get();
  }
  // Null of a handle of the host's.
  [[nodiscard]] bound_variable* find(MPI_T_pvar_handle handle) {
    const std::lock_guard hold(changing_);
    const auto found = position(handle);
    return found == all_.end() ? nullptr : found->get();
  }
  bool remove(MPI_T_pvar_handle handle) {
    const std::lock_guard hold(changing_);
    const auto found = position(handle);
    if (found == all_.end()) return false;
    all_.erase(found);
    return true;
  }
  void remove_of(MPI_T_pvar_session session) {
    const std::lock_guard hold(changing_);
    std::erase_if(all_, [session](const auto& b) { return b->session == session; });
  }
  // A window that is made later may have its handle.
  void forget(MPI_Win window) {
    const std::lock_guard hold(changing_);
    for (const auto& b : all_)
      if (b->window == window) b->window = MPI_WIN_NULL;
  }

 private:
  using list = std::vector<std::unique_ptr<bound_variable>>;
  [[nodiscard]] list::iterator position(MPI_T_pvar_handle handle) {
    return std::find_if(all_.begin(), all_.end(), [handle](const auto& b) {
      return static_cast<void*>(b.get()) == static_cast<void*>(handle);
    });
  }

  std::mutex changing_;
  list all_;
};

bound_variables& bound() {
  static bound_variables all;
  return all;
}

// As they are from the first call on; the host's code where it does not say how many it has.
struct seen_indices {
  int code = MPI_SUCCESS;
  variable_indices indices{0};
};
const seen_indices& seen() {
  static const seen_indices all = [] {
    int host = 0;
    const int code = ORIEL_HOST(T_pvar_get_num)(&host);
    return seen_indices{code, variable_indices(host)};
  }();
  return all;
}

// As MPI copies texts: `length`, where it is not 0, is the room on entry, and the whole text's with
// its null on return. Either may be null.
void give_text(const std::string& text, char* to, int* length) {
  if (length == nullptr) return;
  if (to != nullptr && *length > 0) {
    const std::size_t n = std::min(text.size(), static_cast<std::size_t>(*length) - 1);
    std::memcpy(to, text.data(), n);
    to[n] = 0;
  }
  *length = static_cast<int>(text.size()) + 1;
}

template <class T>
void give(T* to, T value) {
  if (to != nullptr) *to = value;
}

}  // namespace

void forget_variables_of(MPI_Win window) noexcept {
  bound().forget(window);
}

}  // namespace oriel::mpi

using namespace oriel::mpi;

ORIEL_EXPORT int MPI_T_pvar_get_num(int* num) {
  int host = 0;
  // Where MPI_T is not initialized, nothing is settled yet.
  const int code = ORIEL_HOST(T_pvar_get_num)(&host);
  if (code == MPI_SUCCESS && seen().code == MPI_SUCCESS) *num = host + variable_count();
  return code;
}
ORIEL_ALSO_PMPI(T_pvar_get_num);

ORIEL_EXPORT int MPI_T_pvar_get_info(int index, char* name, int* name_len, int* verbosity,
                                     int* var_class, MPI_Datatype* datatype, MPI_T_enum* enumtype,
                                     char* desc, int* desc_len, int* bind, int* readonly,
                                     int* continuous, int* atomic) {
  int host = 0;
  if (const int code = ORIEL_HOST(T_pvar_get_num)(&host); code != MPI_SUCCESS) return code;
  const int i = seen().indices.ours(index);
  if (i < 0)
    return ORIEL_HOST(T_pvar_get_info)(seen().indices.of_host(index), name, name_len, verbosity,
                                       var_class, datatype, enumtype, desc, desc_len, bind,
                                       readonly, continuous, atomic);
  const performance_variable& v = variable(i);
  give_text(v.name, name, name_len);
  give_text(v.description, desc, desc_len);
  give(verbosity, static_cast<int>(MPI_T_VERBOSITY_USER_BASIC));
  give(var_class, v.var_class);
  give(datatype, static_cast<MPI_Datatype>(MPI_UNSIGNED_LONG_LONG));
  give(enumtype, static_cast<MPI_T_enum>(MPI_T_ENUM_NULL));
  give(bind, static_cast<int>(MPI_T_BIND_MPI_WIN));
  give(readonly, 1);
  give(continuous, 1);
  give(atomic, 0);
  return MPI_SUCCESS;
}
ORIEL_ALSO_PMPI(T_pvar_get_info);

ORIEL_EXPORT int MPI_T_pvar_get_index(const char* name, int var_class, int* index) {
  int host = 0;
  if (const int code = ORIEL_HOST(T_pvar_get_num)(&host); code != MPI_SUCCESS) return code;
  if (const int i = find_variable(name, var_class); i >= 0) {
    *index = seen().indices.from_ours(i);
    return MPI_SUCCESS;
  }
  const int code = ORIEL_HOST(T_pvar_get_index)(name, var_class, &host);
  if (code == MPI_SUCCESS) *index = seen().indices.from_host(host);
  return code;
}
ORIEL_ALSO_PMPI(T_pvar_get_index);

ORIEL_EXPORT int MPI_T_pvar_session_free(MPI_T_pvar_session* session) {
  const MPI_T_pvar_session before = *session;
  const int code = ORIEL_HOST(T_pvar_session_free)(session);
  if (code == MPI_SUCCESS) bound().remove_of(before);
  return code;
}
ORIEL_ALSO_PMPI(T_pvar_session_free);

ORIEL_EXPORT int MPI_T_pvar_handle_alloc(MPI_T_pvar_session session, int index, void* object,
                                         MPI_T_pvar_handle* handle, int* count) {
  int host = 0;
  if (const int code = ORIEL_HOST(T_pvar_get_num)(&host); code != MPI_SUCCESS) return code;
  const int i = seen().indices.ours(index);
  if (i < 0)
    return ORIEL_HOST(T_pvar_handle_alloc)(session, seen().indices.of_host(index), object, handle,
                                           count);
  const MPI_Win window = object == nullptr ? MPI_WIN_NULL : *static_cast<MPI_Win*>(object);
  if (find_window(window) == nullptr) return MPI_T_ERR_INVALID_HANDLE;
  try {
    bound_variable* const made = bound().add({session, &variable(i), window});
    *handle = reinterpret_cast<MPI_T_pvar_handle>(made);
    *count = 1;
    return MPI_SUCCESS;
  } catch (const std::bad_alloc&) {
    return MPI_T_ERR_OUT_OF_HANDLES;
  }
}
ORIEL_ALSO_PMPI(T_pvar_handle_alloc);

ORIEL_EXPORT int MPI_T_pvar_handle_free(MPI_T_pvar_session session, MPI_T_pvar_handle* handle) {
  const bound_variable* const ours = bound().find(*handle);
  if (ours == nullptr) return ORIEL_HOST(T_pvar_handle_free)(session, handle);
  if (ours->session != session) return MPI_T_ERR_INVALID_HANDLE;
  bound().remove(*handle);
  *handle = MPI_T_PVAR_HANDLE_NULL;
  return MPI_SUCCESS;
}
ORIEL_ALSO_PMPI(T_pvar_handle_free);

ORIEL_EXPORT int MPI_T_pvar_start(MPI_T_pvar_session session, MPI_T_pvar_handle handle) {
  if (bound().find(handle) != nullptr) return MPI_T_ERR_PVAR_NO_STARTSTOP;
  return ORIEL_HOST(T_pvar_start)(session, handle);
}
ORIEL_ALSO_PMPI(T_pvar_start);

ORIEL_EXPORT int MPI_T_pvar_stop(MPI_T_pvar_session session, MPI_T_pvar_handle handle) {
  if (bound().find(handle) != nullptr) return MPI_T_ERR_PVAR_NO_STARTSTOP;
  return ORIEL_HOST(T_pvar_stop)(session, handle);
}
ORIEL_ALSO_PMPI(T_pvar_stop);

ORIEL_EXPORT int MPI_T_pvar_read(MPI_T_pvar_session session, MPI_T_pvar_handle handle,
                                 void* value) {
  bound_variable* const ours = bound().find(handle);
  if (ours == nullptr) return ORIEL_HOST(T_pvar_read)(session, handle, value);
  const mpi_window* const w = find_window(ours->window);
  if (ours->session != session || w == nullptr) return MPI_T_ERR_INVALID_HANDLE;
  const unsigned long long read = ours->which->read(w->any.statistics(), ours->which->which);
  std::memcpy(value, &read, sizeof read);
  return MPI_SUCCESS;
}
ORIEL_ALSO_PMPI(T_pvar_read);

ORIEL_EXPORT int MPI_T_pvar_write(MPI_T_pvar_session session, MPI_T_pvar_handle handle,
                                  const void* value) {
  if (bound().find(handle) != nullptr) return MPI_T_ERR_PVAR_NO_WRITE;
  return ORIEL_HOST(T_pvar_write)(session, handle, value);
}
ORIEL_ALSO_PMPI(T_pvar_write);

ORIEL_EXPORT int MPI_T_pvar_reset(MPI_T_pvar_session session, MPI_T_pvar_handle handle) {
  if (bound().find(handle) != nullptr) return MPI_T_ERR_PVAR_NO_WRITE;
  return ORIEL_HOST(T_pvar_reset)(session, handle);
}
ORIEL_ALSO_PMPI(T_pvar_reset);

ORIEL_EXPORT int MPI_T_pvar_readreset(MPI_T_pvar_session session, MPI_T_pvar_handle handle,
                                      void* value) {
  if (bound().find(handle) != nullptr) return MPI_T_ERR_PVAR_NO_WRITE;
  return ORIEL_HOST(T_pvar_readreset)(session, handle, value);
}
ORIEL_ALSO_PMPI(T_pvar_readreset);
