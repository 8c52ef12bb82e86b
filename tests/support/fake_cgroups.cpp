#include "tests/support/fake_cgroups.hpp"

#include <cerrno>
#include <fstream>
#include <sstream>

namespace bellows::test {

namespace {

namespace fs = std::filesystem;

std::string text_of(const fs::path& file) {
  std::ifstream in(file);
  std::ostringstream text;
  text << in.rdbuf();
  return text.str();
}

void put(const fs::path& file, const std::string& text) {
  std::ofstream(file, std::ios::trunc) << text;
}

void fill(const fs::path& group, const std::string& divided_above) {
  put(group / "cgroup.procs", "");
  put(group / "cgroup.controllers", divided_above);
  put(group / "cgroup.subtree_control", "");
  put(group / "cpu.stat", "usage_usec 0\nuser_usec 0\nsystem_usec 0\n");
  if (divided_above.find("cpu") != divided_above.npos) put(group / "cpu.weight", "100\n");
  if (divided_above.find("memory") == divided_above.npos) return;
  put(group / "memory.current", "0\n");
  put(group / "memory.low", "0\n");
  put(group / "memory.max", "max\n");
  put(group / "memory.stat", "anon 0\nfile 0\ninactive_file 0\n");
  put(group / "memory.events", "low 0\nhigh 0\nmax 0\noom 0\noom_kill 0\n");
}

Result<void> refused(const fs::path& path, int reason) {
  return fail(system_error(path.string(), "refused", reason));
}

bool has_no_process(const fs::path& group) {
  // A shim's child writes "0" for itself; nobody takes it out again here.
  const std::string processes = text_of(group / "cgroup.procs");
  return processes.empty() || processes == "0";
}

}  // namespace

FakeCgroups::FakeCgroups(std::string root, const std::string& processes,
                         const std::string& controllers)
    : root_(std::move(root)) {
  fs::create_directories(root_);
  put(fs::path(root_) / "cgroup.procs", processes);
  put(fs::path(root_) / "cgroup.controllers", controllers);
  put(fs::path(root_) / "cgroup.subtree_control", "");
}

Result<void> FakeCgroups::make_group(const std::string& path) const {
  std::error_code error;
  if (!fs::create_directory(path, error)) {
    return error ? refused(path, error.value()) : Result<void>();
  }
  fill(path, text_of(fs::path(path).parent_path() / "cgroup.subtree_control"));
  if (are_doors_closed_ && !text_of(fs::path(root_) / "cgroup.subtree_control").empty()) {
    fs::remove(fs::path(path) / "cgroup.procs");
  }
  return {};
}

Result<void> FakeCgroups::remove_group(const std::string& path) const {
  if (!fs::exists(path)) return {};
  if (!has_no_process(path) || !groups_in(path).empty()) return refused(path, EBUSY);
  fs::remove_all(path);
  return {};
}

std::vector<std::string> FakeCgroups::groups_in(const std::string& path) const {
  return cluster::system_cgroup_files().groups_in(path);
}

Result<std::string> FakeCgroups::read(const std::string& path) const {
  return cluster::system_cgroup_files().read(path);
}

Result<void> FakeCgroups::write(const std::string& path, const std::string& text) const {
  const fs::path file(path);
  if (!fs::exists(file)) return refused(file, ENOENT);
  if (file.filename() == "cgroup.subtree_control") return divide(file.parent_path(), text);
  if (file.filename() == "cgroup.procs") {
    move_here(file.parent_path(), text);
  } else {
    put(file, text + "\n");
  }
  return {};
}

Result<void> FakeCgroups::divide(const fs::path& group, const std::string& text) const {
  if (text.starts_with('+') && !has_no_process(group)) return refused(group, EBUSY);
  put(group / "cgroup.subtree_control", text.starts_with('+') ? "cpu memory\n" : "");
  return {};
}

/// Out of every other group, as a process stands in one only.
void FakeCgroups::move_here(const fs::path& group, const std::string& process) const {
  const auto without = [&process](const fs::path& procs) {
    std::istringstream lines(text_of(procs));
    std::string rest;
    for (std::string line; std::getline(lines, line);) {
      if (line != process) rest += line + "\n";
    }
    put(procs, rest);
  };
  without(fs::path(root_) / "cgroup.procs");
  for (const auto& entry : fs::recursive_directory_iterator(root_)) {
    if (entry.path().filename() == "cgroup.procs") without(entry.path());
  }
  put(group / "cgroup.procs", text_of(group / "cgroup.procs") + process + "\n");
}

cluster::CgroupPlaces FakeCgroups::places() const {
  cluster::CgroupPlaces places{.version = cluster::CgroupVersion::kV2};
  places.folders.fill(root_);
  return places;
}

}  // namespace bellows::test
