// As much of GoogleTest's face as the suites that run on a GPU use, so that `./run gpu` runs them
// on machines without it. Every other build has the real one.
//
// One thread runs tests; checks may fail on any. Not here: death tests, matchers, suites' set-up,
// names of parameters.
#pragma once

#include <atomic>
#include <concepts>
#include <functional>
#include <iterator>
#include <memory>
#include <mutex>
#include <ostream>
#include <sstream>
#include <string>
#include <string_view>
#include <tuple>
#include <type_traits>
#include <vector>

namespace testing {

// What the test that runs has come to.
struct test_state {
  std::atomic<bool> failed{false};
  std::atomic<bool> fatal{false};
  std::atomic<bool> skipped{false};
  std::mutex mutex;                // of what follows
  std::vector<std::string> where;  // SCOPED_TRACE
};
inline test_state& state() {
  static test_state one;
  return one;
}

class Message {
 public:
  template <class T>
  Message& operator<<(const T& part) {
    text_ << part;
    return *this;
  }
  [[nodiscard]] std::string text() const { return text_.str(); }

 private:
  std::ostringstream text_;
};

void report(const char* file, int line, const std::string& text);

enum class ending { failure, fatal_failure, skip };
// Assigned a message, it reports: an expression that a macro may return and stream into.
struct reporter {
  const char* file;
  int line;
  ending how;
  std::string what;

  void operator=(const Message& more) const {
    if (how == ending::skip) {
      state().skipped = true;
      return;
    }
    state().failed = true;
    if (how == ending::fatal_failure) state().fatal = true;
    report(file, line, what + (more.text().empty() ? "" : "\n  " + more.text()));
  }
};

template <class T>
std::string shown(const T& value) {
  std::ostringstream out;
  if constexpr (std::is_enum_v<T>) {
    out << static_cast<long long>(value);
  } else if constexpr (std::convertible_to<T, std::string_view>) {
    out << '"' << std::string_view(value) << '"';
  } else if constexpr (std::same_as<T, char> || std::same_as<T, signed char> ||
                       std::same_as<T, unsigned char>) {
    out << static_cast<int>(value);
  } else if constexpr (requires { out << value; }) {
    out << value;
  } else if constexpr (requires { std::begin(value) != std::end(value); }) {
    int n = 0;
    out << "{";
    for (const auto& element : value)
      if (++n <= 16) out << (n == 1 ? "" : ", ") << shown(element);
    out << (n > 16 ? ", …}" : "}");
  } else {
    out << "a value of " << sizeof value << " bytes";
  }
  return out.str();
}
inline std::string shown(std::nullptr_t) {
  return "nullptr";
}

// Empty when it holds.
struct verdict {
  std::string why_not;
  explicit operator bool() const { return why_not.empty(); }
};
template <class A, class B, class Compare>
verdict compared(const char* how, const char* left, const char* right, const A& a, const B& b,
                 Compare compare) {
  if (compare(a, b)) return {};
  return {std::string(left) + " " + how + " " + right + " does not hold: " + shown(a) + " and " +
          shown(b)};
}
template <class Value>
verdict truth(const char* text, bool wanted, const Value& value) {
  if (static_cast<bool>(value) == wanted) return {};
  return {std::string(text) + " is " + (wanted ? "false" : "true")};
}

class Trace {
 public:
  template <class T>
  explicit Trace(const T& text) {
    const std::lock_guard hold(state().mutex);
    state().where.push_back((Message() << text).text());
  }
  ~Trace() {
    const std::lock_guard hold(state().mutex);
    state().where.pop_back();
  }
  Trace(const Trace&) = delete;
  Trace& operator=(const Trace&) = delete;
};

class Test {
 public:
  virtual ~Test() = default;
  virtual void SetUp() {}
  virtual void TearDown() {}
  virtual void TestBody() = 0;
  static bool IsSkipped() { return state().skipped; }
  static bool HasFatalFailure() { return state().fatal; }
};

template <class T>
class TestWithParam : public Test {
 public:
  using ParamType = T;
  static const T& GetParam() { return *current; }
  inline static const T* current = nullptr;
};

using factory = std::function<std::unique_ptr<Test>()>;
// Returns something, so that a constant's initializer may call it.
bool add_test(std::string name, factory make);

// The tests of a suite with parameters, and the parameters, whichever is known first.
template <class Suite>
struct parameterized {
  using parameter = typename Suite::ParamType;
  inline static std::vector<std::pair<std::string, factory>> tests;
  inline static std::vector<std::unique_ptr<parameter>> parameters;
  inline static std::string name;

  static void add(const std::string& test, const factory& make, const parameter& value) {
    const std::size_t i = parameters.size();
    parameters.push_back(std::make_unique<parameter>(value));
    add_test(name + "." + test + "/" + std::to_string(i), [make, at = parameters.back().get()] {
      TestWithParam<parameter>::current = at;
      return make();
    });
  }
  static bool add_test_of(const char* suite, const char* test, factory make) {
    name = suite;
    tests.emplace_back(test, std::move(make));
    return true;
  }
  // After the suite's tests, as they stand in a file.
  template <class Values>
  static bool instantiate(const Values& values) {
    for (const auto& [test, make] : tests)
      for (const auto& value : values) add(test, make, static_cast<parameter>(value));
    return true;
  }
};

template <class Container>
auto ValuesIn(const Container& values) {
  return std::vector<typename Container::value_type>(std::begin(values), std::end(values));
}
template <class... T>
auto Values(const T&... values) {
  return std::vector<std::common_type_t<const T&...>>{values...};
}
template <class A, class B>
auto Combine(const std::vector<A>& first, const std::vector<B>& second) {
  std::vector<std::tuple<A, B>> all;
  for (const A& a : first)
    for (const B& b : second) all.emplace_back(a, b);
  return all;
}

// Takes --gtest_filter=…; the variable GTEST_FILTER is its default.
void InitGoogleTest(int* argc, char** argv);
int run_all();

}  // namespace testing

#define RUN_ALL_TESTS() ::testing::run_all()

#define GTEST_JOIN_(a, b) a##b
#define GTEST_JOIN(a, b) GTEST_JOIN_(a, b)
#define GTEST_REPORT_(how, what) \
  ::testing::reporter{__FILE__, __LINE__, ::testing::ending::how, what} = ::testing::Message()
// The switch keeps an else that follows the macro from being taken for its own.
#define GTEST_UNLESS_(verdict_, leave, how)                     \
  switch (0)                                                    \
  case 0:                                                       \
  default:                                                      \
    if (const ::testing::verdict judged = (verdict_); judged) { \
    } else                                                      \
      leave GTEST_REPORT_(how, judged.why_not)

#define GTEST_COMPARED_(op, a, b) \
  ::testing::compared(#op, #a, #b, a, b, [](const auto& l, const auto& r) { return l op r; })
#define EXPECT_TRUE(x) GTEST_UNLESS_(::testing::truth(#x, true, x), , failure)
#define EXPECT_FALSE(x) GTEST_UNLESS_(::testing::truth(#x, false, x), , failure)
#define ASSERT_TRUE(x) GTEST_UNLESS_(::testing::truth(#x, true, x), return, fatal_failure)
#define ASSERT_FALSE(x) GTEST_UNLESS_(::testing::truth(#x, false, x), return, fatal_failure)
#define EXPECT_EQ(a, b) GTEST_UNLESS_(GTEST_COMPARED_(==, a, b), , failure)
#define EXPECT_NE(a, b) GTEST_UNLESS_(GTEST_COMPARED_(!=, a, b), , failure)
#define EXPECT_GE(a, b) GTEST_UNLESS_(GTEST_COMPARED_(>=, a, b), , failure)
#define EXPECT_GT(a, b) GTEST_UNLESS_(GTEST_COMPARED_(>, a, b), , failure)
#define EXPECT_LE(a, b) GTEST_UNLESS_(GTEST_COMPARED_(<=, a, b), , failure)
#define EXPECT_LT(a, b) GTEST_UNLESS_(GTEST_COMPARED_(<, a, b), , failure)
#define ASSERT_EQ(a, b) GTEST_UNLESS_(GTEST_COMPARED_(==, a, b), return, fatal_failure)
#define ASSERT_NE(a, b) GTEST_UNLESS_(GTEST_COMPARED_(!=, a, b), return, fatal_failure)
#define ASSERT_GE(a, b) GTEST_UNLESS_(GTEST_COMPARED_(>=, a, b), return, fatal_failure)
#define ASSERT_GT(a, b) GTEST_UNLESS_(GTEST_COMPARED_(>, a, b), return, fatal_failure)
#define ASSERT_LE(a, b) GTEST_UNLESS_(GTEST_COMPARED_(<=, a, b), return, fatal_failure)
#define ASSERT_LT(a, b) GTEST_UNLESS_(GTEST_COMPARED_(<, a, b), return, fatal_failure)
#define EXPECT_THROW(statement, type)                      \
  GTEST_UNLESS_(([&]() -> ::testing::verdict {             \
                  try {                                    \
                    statement;                             \
                  } catch (const type&) {                  \
                    return {};                             \
                  }                                        \
                  return {#statement " throws no " #type}; \
                }()),                                      \
                , failure)
#define ADD_FAILURE() GTEST_REPORT_(failure, "")
#define FAIL() return GTEST_REPORT_(fatal_failure, "")
#define GTEST_SKIP() return GTEST_REPORT_(skip, "")
#define SCOPED_TRACE(text) const ::testing::Trace GTEST_JOIN(trace_, __LINE__)(text)

#define GTEST_CLASS_(suite, test) suite##_##test##_test
#define GTEST_DEFINE_(suite, test, base, add)           \
  class GTEST_CLASS_(suite, test) final : public base { \
    void TestBody() override;                           \
    static const bool added;                            \
  };                                                    \
  const bool GTEST_CLASS_(suite, test)::added = add;    \
  void GTEST_CLASS_(suite, test)::TestBody()
#define GTEST_MAKER_(suite, test) [] { return std::make_unique<GTEST_CLASS_(suite, test)>(); }
#define TEST(suite, test)                     \
  GTEST_DEFINE_(suite, test, ::testing::Test, \
                ::testing::add_test(#suite "." #test, GTEST_MAKER_(suite, test)))
#define TEST_F(suite, test)         \
  GTEST_DEFINE_(suite, test, suite, \
                ::testing::add_test(#suite "." #test, GTEST_MAKER_(suite, test)))
#define TEST_P(suite, test) \
  GTEST_DEFINE_(            \
      suite, test, suite,   \
      ::testing::parameterized<suite>::add_test_of(#suite, #test, GTEST_MAKER_(suite, test)))
#define INSTANTIATE_TEST_SUITE_P(prefix, suite, values)    \
  static const bool GTEST_JOIN(prefix##_##suite, _known) = \
      ::testing::parameterized<suite>::instantiate(values)
