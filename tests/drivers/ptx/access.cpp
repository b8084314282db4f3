// ld and st, of words and of vectors.
#include <string>

#include "tests/drivers/ptx/machine.hpp"
#include "tests/drivers/ptx/statement.hpp"

namespace oriel::test_driver::ptx {
namespace {

std::uint64_t extended(std::uint64_t word, type of) {
  switch (of) {
    case type::s8:
      return to_bits(static_cast<std::int64_t>(static_cast<std::int8_t>(word)));
    case type::s16:
      return to_bits(static_cast<std::int64_t>(static_cast<std::int16_t>(word)));
    case type::s32:
      return to_bits(static_cast<std::int64_t>(static_cast<std::int32_t>(word)));
    default:
      return word;
  }
}

std::uint64_t plain_load(const std::byte* at, std::size_t bytes) {
  std::uint64_t word = 0;
  std::memcpy(&word, at, bytes);
  return word;
}

void check_written(const block& b, const instruction& i, std::uint32_t offset, std::size_t bytes) {
  for (std::size_t k = 0; k < bytes; ++k)
    if (!b.written[offset + k])
      throw error(i.line, "shared memory is read at " + std::to_string(offset + k) +
                              " before it is written");
}

outcome load(thread& t, const instruction& i) {
  const std::size_t bytes = size_of(i.from);
  const reached place = reach(t, i, address_of(t, i.op[1]), bytes * i.elements);
  schedule& turns = t.in->in->turns;
  if (place.shared) check_written(*t.in, i, place.shared_offset, bytes * i.elements);
  for (std::size_t k = 0; k < i.elements; ++k) {
    std::byte* const at = place.at + k * bytes;
    std::uint64_t word = 0;
    if (!place.global) {
      t.view.settle_copies(at, bytes);
      word = plain_load(at, bytes);
    } else {
      word = t.view.load(at, bytes, turns);
      // It may itself have been performed before earlier loads, and no later one before it.
      if (i.ordering == order::acquire) t.view.acquire();
    }
    t.now.registers[i.vector[k].reg] = extended(word, i.from);
  }
  return outcome::next;
}

// The load just before a store, of the word that it stores; null where it may be another's.
const instruction* load_of(const instruction& store, const instruction* begin) {
  constexpr std::ptrdiff_t near = 2;
  if (store.elements != 1 || store.guard >= 0 || store.vector[0].what != operand::kind::reg)
    return nullptr;
  const std::uint32_t word = store.vector[0].reg;
  for (const instruction* i = &store; i-- != begin && &store - i <= near;) {
    if (i->run != load) {
      if (i->ends_group || i->orders || i->op[0].reg == word) return nullptr;
      continue;
    }
    const bool plain = i->guard < 0 && i->elements == 1 && i->ordering != order::acquire &&
                       i->from == store.from && i->op[1].what == operand::kind::reg;
    return plain && i->vector[0].reg == word && i->op[1].reg != word ? i : nullptr;
  }
  return nullptr;
}

// A word that goes from memory to where only the thread looks.
void copy_what_was_loaded(thread& t, const instruction& store, std::byte* to) {
  const instruction* const from = load_of(store, t.now.code->code.data());
  if (from == nullptr) return;
  const reached place = reach(t, *from, address_of(t, from->op[1]), size_of(store.from));
  if (place.global) t.view.copy_late(place.at, to, size_of(store.from), t.in->in->turns);
}

outcome store(thread& t, const instruction& i) {
  const std::size_t bytes = size_of(i.from);
  const reached place = reach(t, i, address_of(t, i.op[1]), bytes * i.elements);
  for (std::size_t k = 0; k < i.elements; ++k) {
    std::byte* const at = place.at + k * bytes;
    const std::uint64_t word = bits_of(t, i.vector[k]);
    if (!place.global) {
      t.view.settle_copies(at, bytes);
      std::memcpy(at, &word, bytes);
      if (!place.shared) copy_what_was_loaded(t, i, at);
    } else if (i.ordering == order::release) {
      t.view.store_release(at, bytes, word);
    } else {
      t.view.store(at, bytes, word, t.in->in->turns);
    }
  }
  if (place.shared)
    for (std::size_t k = 0; k < bytes * i.elements; ++k)
      t.in->written[place.shared_offset + k] = true;
  return outcome::next;
}

// One word of the opcode between its name and its type.
bool qualify(std::string_view word, instruction& i) {
  if (word == "global" || word == "const")
    i.where = space::global;
  else if (word == "shared")
    i.where = space::shared;
  else if (word == "local")
    i.where = space::local;
  else if (word == "param")
    i.where = space::param;
  else if (word == "volatile" || word == "relaxed")
    i.ordering = order::relaxed;
  else if (word == "acquire")
    i.ordering = order::acquire;
  else if (word == "release")
    i.ordering = order::release;
  else if (word == "v2")
    i.elements = 2;
  else if (word == "v4")
    i.elements = 4;
  else
    return word == "nc" || word == "sys" || word == "gpu" || word == "cta";
  return true;
}

}  // namespace

bool decode_access(const statement& s, instruction& i) {
  const bool loads = s.words[0] == "ld";
  if ((!loads && s.words[0] != "st") || s.words.size() < 2 || s.arguments.size() != 2) return false;
  const auto of = type_of(s.words.back());
  if (!of || *of == type::pred) return false;
  i.from = *of;
  for (std::size_t k = 1; k + 1 < s.words.size(); ++k)
    if (!qualify(s.words[k], i) || (!loads && s.words[k] == "const")) return false;
  const argument& address = s.arguments[loads ? 1 : 0];
  const argument& values = s.arguments[loads ? 0 : 1];
  if (!address.address || values.address || values.parts.size() != i.elements) return false;
  i.op[1] = address.parts[0];
  for (std::size_t k = 0; k < i.elements; ++k) {
    i.vector[k] = values.parts[k];
    if (loads && i.vector[k].what != operand::kind::reg) return false;
  }
  i.orders = i.ordering != order::weak;
  i.run = loads ? load : store;
  return true;
}

}  // namespace oriel::test_driver::ptx
