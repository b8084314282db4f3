#include "tests/faults/random/running_job.hpp"

#include <fcntl.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <csignal>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <sstream>
#include <thread>

namespace oriel::testing {

const char* name(verdict v) noexcept {
  static constexpr std::array names{"ok", "hung", "split", "wrong", "error", "crashed"};
  return names[static_cast<std::size_t>(v)];
}

running_job::running_job(const fault_plan& plan, const job_options& options)
    : plan_(plan),
      options_(options),
      directory_(std::filesystem::temp_directory_path() / "oriel-faults-XXXXXX"),
      sightings_(static_cast<std::size_t>(plan.shape.ranks), {0, clock::now()}) {
  if (mkdtemp(directory_.data()) == nullptr) throw std::runtime_error("no directory for a board");
  board_.emplace(directory_ + "/board");
  start();
}

running_job::~running_job() {
  end();
  std::error_code ignored;
  std::filesystem::remove_all(directory_, ignored);
}

// Hosts that hold different numbers of ranks are pretended by the ranks themselves.
void running_job::start() {
  const job_shape& s = plan_.shape;
  const int hosts = s.network ? s.hosts : 1;
  std::vector<std::string> words{options_.hosts_program,
                                 "--hosts",
                                 std::to_string(hosts),
                                 "--ranks-per-host",
                                 std::to_string(s.ranks / hosts),
                                 "--timeout",
                                 "290",
                                 "--kill",  // planned for never, so that ranks outlast each other
                                 "0@1000",
                                 options_.rank_program,
                                 std::to_string(plan_.seed),
                                 std::to_string(s.ranks),
                                 std::to_string(s.hosts),
                                 s.network ? "network" : "pretended",
                                 plan_.late_accesses ? "late" : "prompt"};
  std::vector<char*> argv;
  for (std::string& w : words) argv.push_back(w.data());
  argv.push_back(nullptr);
  const pid_t driver = getpid();
  pid_ = fork();
  if (pid_ != 0) return;
  prctl(PR_SET_PDEATHSIG, SIGKILL);
  if (getppid() != driver) _exit(1);
  const int out = open((directory_ + "/output").c_str(), O_WRONLY | O_CREAT | O_TRUNC, 0600);
  dup2(out, STDOUT_FILENO);
  dup2(out, STDERR_FILENO);
  setenv(board_variable, (directory_ + "/board").c_str(), 1);
  for (const char* n : {"ORIEL_RANK", "ORIEL_SIZE", "ORIEL_ROOT", "ORIEL_TIMEOUT"}) unsetenv(n);
  execv(argv[0], argv.data());
  _exit(127);
}

// The launcher takes its ranks along.
void running_job::end() noexcept {
  if (ended_ || pid_ <= 0) return;
  kill(pid_, SIGKILL);
  waitpid(pid_, nullptr, 0);
  ended_ = true;
}

bool running_job::any_finding() const noexcept {
  for (int r = 0; r < plan_.shape.ranks; ++r)
    if (const finding f = board_->of(r).found; f != finding::none && f != finding::done)
      return true;
  return false;
}

namespace {

// How much longer everything may take, up to three times, since others use the machine too.
double slowness() {
  double load = 0;
  const double processors = std::max(1u, std::thread::hardware_concurrency());
  if (getloadavg(&load, 1) != 1) return 1;
  return std::clamp(load / (2 * processors), 1.0, 3.0);
}

}  // namespace

bool running_job::stands_still() {
  const auto now = clock::now();
  const double times = slowness();
  bool still = now - began_ > times * std::chrono::seconds(90 * slower);
  for (int r = 0; r < plan_.shape.ranks; ++r) {
    const rank_record& record = board_->of(r);
    sighting& seen = sightings_[static_cast<std::size_t>(r)];
    if (const auto steps = record.steps.load(); steps != seen.steps || record.dying)
      seen = {steps, now};
    still =
        still || (record.found == finding::none && now - seen.changed > times * options_.patience);
  }
  return still;
}

std::optional<judgement> running_job::poll() {
  if (waitpid(pid_, nullptr, WNOHANG) == pid_) {
    ended_ = true;
    return judged(false);
  }
  if (any_finding()) {
    // The others may have something to report as well.
    if (!found_) found_ = clock::now();
    if (clock::now() - *found_ < std::chrono::milliseconds(300)) return std::nullopt;
    return judged(false);
  }
  if (stands_still()) return judged(true);
  return std::nullopt;
}

std::string running_job::teams_that_differ() const {
  std::ostringstream text;
  for (std::size_t round = 0; round < rank_record::most_rounds; ++round) {
    std::vector<int> first;
    int whose = -1;
    for (int r = 0; r < plan_.shape.ranks; ++r) {
      const rank_record& record = board_->of(r);
      const auto& t = record.teams[round];
      if (t.size == 0 || record.dying) continue;
      const std::vector<int> mine(t.members.begin(), t.members.begin() + t.size);
      if (whose < 0) {
        whose = r;
        first = mine;
      } else if (mine != first) {
        text << "  the teams of ranks " << whose << " and " << r << " in round " << round
             << " differ\n";
      }
    }
  }
  return text.str();
}

std::string running_job::whereabouts() const {
  std::ostringstream text;
  for (int r = 0; r < plan_.shape.ranks; ++r) {
    const rank_record& record = board_->of(r);
    text << "  rank " << r << ", pid " << record.pid << ": ";
    if (record.dying) text << "died; had been in ";
    text << "'" << record.step.data() << "' of round " << record.round << ", work " << record.work;
    if (record.target >= 0) text << ", target " << record.target;
    if (record.window >= 0) text << ", window " << record.window;
    const auto& team = record.teams[static_cast<std::size_t>(record.round.load())];
    text << ", team {";
    for (int i = 0; i < team.size; ++i)
      text << (i ? "," : "") << team.members[static_cast<std::size_t>(i)];
    text << "}";
    const auto still = clock::now() - sightings_[static_cast<std::size_t>(r)].changed;
    if (!record.dying && record.found == finding::none)
      text << ", for " << std::chrono::duration<double>(still).count() << " s";
    if (const finding f = record.found; f == finding::done)
      text << "; done";
    else if (f != finding::none)
      text << "; found: " << record.text.data();
    if (record.erred) text << "; error: " << record.error.data();
    text << "\n";
  }
  return text.str();
}

std::string running_job::stacks() const {
  std::ostringstream text;
  for (int r = 0; r < plan_.shape.ranks; ++r) {
    const rank_record& record = board_->of(r);
    if (record.dying) continue;
    text << "  stacks of rank " << r << ":\n";
    const std::string command =
        "gdb -p " + std::to_string(record.pid) +
        " -batch -ex 'thread apply all bt 14' 2>/dev/null | grep -E '^#|^Thread'";
    FILE* const out = popen(command.c_str(), "r");
    if (out == nullptr) continue;
    std::array<char, 400> line;
    while (fgets(line.data(), line.size(), out) != nullptr) text << "    " << line.data();
    pclose(out);
  }
  return text.str();
}

std::string running_job::output() const {
  std::ifstream file(directory_ + "/output");
  std::ostringstream all;
  all << file.rdbuf();
  return all.str();
}

judgement running_job::judged(bool hangs) {
  judgement j;
  j.seconds = std::chrono::duration<double>(clock::now() - began_).count();
  const std::string differ = teams_that_differ();
  const auto found = [this](finding f) {
    for (int r = 0; r < plan_.shape.ranks; ++r)
      if (board_->of(r).found == f) return true;
    return false;
  };
  bool all_done = true, all_died = true, erred = false;
  for (int r = 0; r < plan_.shape.ranks; ++r) {
    const rank_record& record = board_->of(r);
    if (plan_.survives(r))
      all_done = all_done && record.found == finding::done;
    else
      all_died = all_died && record.dying;
    erred = erred || record.erred;
  }
  if (!differ.empty() || found(finding::split))
    j.what = verdict::split;
  else if (found(finding::wrong))
    j.what = verdict::wrong;
  else if (hangs)
    j.what = verdict::hung;
  else if (!all_done)
    j.what = verdict::crashed;
  else if (erred || !all_died)
    j.what = verdict::error;
  if (j.what != verdict::ok) {
    j.text = differ + whereabouts();
    if (options_.stacks && !ended_) j.text += stacks();
    j.text += output();
  }
  end();
  return j;
}

}  // namespace oriel::testing
