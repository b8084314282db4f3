#include <span>
#include <vector>

#include "capi/enumerators.hpp"
#include "capi/guard.hpp"
#include "capi/handles.hpp"

namespace capi = oriel::capi;
using oriel::datatype;

template <>
inline constexpr auto oriel::detail::entries_of<oriel::storage_order> = std::array{
#define ORIEL_STORAGE_ORDER(number, name, c_name) oriel::storage_order::name,
#include "oriel/enumerations/storage_order.def"
};
template <>
inline constexpr capi::enumeration_text capi::text_of<oriel::storage_order>{
    oriel::errc::arg, "storage order", "ORIEL_ORDER_C (0), ORIEL_ORDER_FORTRAN (1)"};

namespace {

// Runs `make`, which returns a datatype.
template <class Make>
int construct(oriel_datatype** type, Make make) noexcept {
  // NOLINTNEXTLINE(bugprone-unhandled-exception-at-new): guarded handles it
  return capi::guarded([&] { *type = new oriel_datatype{make()}; });
}

}  // namespace

extern "C" {

int oriel_datatype_free(oriel_datatype* type) {
  delete type;
  return ORIEL_SUCCESS;
}

int oriel_datatype_of(int primitive, oriel_datatype** type) {
  return construct(type,
                   [&] { return datatype::of(capi::enumerator<oriel::primitive>(primitive)); });
}

int oriel_datatype_bytes(size_t n, size_t alignment, oriel_datatype** type) {
  return construct(type, [&] { return datatype::bytes(n, alignment); });
}

int oriel_datatype_contiguous(size_t count, const oriel_datatype* old, oriel_datatype** type) {
  return construct(type, [&] { return datatype::contiguous(count, old->type); });
}

int oriel_datatype_vector(size_t count, size_t blocklength, ptrdiff_t stride,
                          const oriel_datatype* old, oriel_datatype** type) {
  return construct(type, [&] { return datatype::vector(count, blocklength, stride, old->type); });
}

int oriel_datatype_hvector(size_t count, size_t blocklength, ptrdiff_t stride,
                           const oriel_datatype* old, oriel_datatype** type) {
  return construct(type, [&] { return datatype::hvector(count, blocklength, stride, old->type); });
}

int oriel_datatype_indexed(size_t n, const size_t* blocklengths, const ptrdiff_t* displacements,
                           const oriel_datatype* old, oriel_datatype** type) {
  return construct(type, [&] {
    return datatype::indexed({blocklengths, n}, {displacements, n}, old->type);
  });
}

int oriel_datatype_hindexed(size_t n, const size_t* blocklengths, const ptrdiff_t* displacements,
                            const oriel_datatype* old, oriel_datatype** type) {
  return construct(type, [&] {
    return datatype::hindexed({blocklengths, n}, {displacements, n}, old->type);
  });
}

int oriel_datatype_indexed_block(size_t n, size_t blocklength, const ptrdiff_t* displacements,
                                 const oriel_datatype* old, oriel_datatype** type) {
  return construct(type, [&] {
    return datatype::indexed_block(blocklength, {displacements, n}, old->type);
  });
}

int oriel_datatype_structure(size_t n, const size_t* blocklengths, const ptrdiff_t* displacements,
                             const oriel_datatype* const* types, oriel_datatype** type) {
  return construct(type, [&] {
    std::vector<datatype> old;
    for (const oriel_datatype* const t : std::span(types, n)) old.push_back(t->type);
    return datatype::structure({blocklengths, n}, {displacements, n}, old);
  });
}

int oriel_datatype_subarray(size_t dimensions, const size_t* sizes, const size_t* subsizes,
                            const size_t* starts, int order, const oriel_datatype* old,
                            oriel_datatype** type) {
  return construct(type, [&] {
    return datatype::subarray({sizes, dimensions}, {subsizes, dimensions}, {starts, dimensions},
                              capi::enumerator<oriel::storage_order>(order), old->type);
  });
}

int oriel_datatype_resized(const oriel_datatype* old, ptrdiff_t lower_bound, ptrdiff_t extent,
                           oriel_datatype** type) {
  return construct(type, [&] { return datatype::resized(old->type, lower_bound, extent); });
}

int oriel_datatype_size(const oriel_datatype* type, size_t* bytes) {
  *bytes = type->type.size();
  return ORIEL_SUCCESS;
}

int oriel_datatype_extent(const oriel_datatype* type, ptrdiff_t* lower_bound, ptrdiff_t* extent) {
  *lower_bound = type->type.lb();
  *extent = type->type.extent();
  return ORIEL_SUCCESS;
}

int oriel_datatype_true_extent(const oriel_datatype* type, ptrdiff_t* lower_bound, size_t* extent) {
  *lower_bound = type->type.true_lb();
  *extent = type->type.true_extent();
  return ORIEL_SUCCESS;
}

int oriel_datatype_primitive(const oriel_datatype* type, int* primitive) {
  *primitive = static_cast<int>(type->type.base());
  return ORIEL_SUCCESS;
}

int oriel_datatype_is_predefined(const oriel_datatype* type, int* predefined) {
  *predefined = type->type.predefined() ? 1 : 0;
  return ORIEL_SUCCESS;
}

int oriel_datatype_is_contiguous(const oriel_datatype* type, int* contiguous) {
  *contiguous = type->type.contiguous() ? 1 : 0;
  return ORIEL_SUCCESS;
}

int oriel_datatype_runs(const oriel_datatype* type, oriel_datatype_run* runs, size_t capacity,
                        size_t* number) {
  capi::give_array(type->type.runs(), runs, capacity, number, [](const datatype::run& r) {
    return oriel_datatype_run{r.offset, r.elements, r.blocks, r.stride, static_cast<int>(r.type)};
  });
  return ORIEL_SUCCESS;
}

int oriel_datatype_equal(const oriel_datatype* a, const oriel_datatype* b, int* equal) {
  *equal = a->type == b->type ? 1 : 0;
  return ORIEL_SUCCESS;
}

int oriel_datatype_signatures_match(const oriel_datatype* a, size_t count_a,
                                    const oriel_datatype* b, size_t count_b, int* match) {
  return capi::guarded(
      [&] { *match = datatype::signatures_match(a->type, count_a, b->type, count_b) ? 1 : 0; });
}

int oriel_datatype_hash(const oriel_datatype* type, uint64_t* hash) {
  *hash = type->type.hash();
  return ORIEL_SUCCESS;
}

int oriel_datatype_describe(const oriel_datatype* type, char* text, size_t capacity,
                            size_t* length) {
  return capi::guarded([&] { capi::give_text(type->type.describe(), text, capacity, length); });
}

}  // extern "C"
