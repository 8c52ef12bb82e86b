#include "cluster/local/cgroup_tree.hpp"

#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cmath>
#include <utility>

namespace bellows::cluster {

namespace {

constexpr const char* kMain = "main";  // the group of this process, with version 2

void add_once(std::vector<std::string>& list, std::string text) {
  if (!text.empty() && std::ranges::find(list, text) == list.end()) list.push_back(std::move(text));
}

bool has_word(const std::string& text, const std::string& word) {
  return (" " + text + " ").find(" " + word + " ") != std::string::npos;
}

std::optional<std::uint64_t> start_ticks_of(std::int64_t pid) {
  const auto stat = system_cgroup_files().read("/proc/" + std::to_string(pid) + "/stat");
  return stat ? parse_start_ticks(*stat) : std::nullopt;
}

constexpr const char* kWantOwnGroup =
    "want a group of our own, as by: systemd-run --user --scope -p Delegate=yes bellows run ...";

/// Version 2: checks the controllers of the group at `own` that children may get.
Result<void> check_controllers(const CgroupFiles& files, const std::string& own) {
  BELLOWS_TRY(std::string offered, files.read(own + "/cgroup.controllers"));
  std::ranges::replace(offered, '\n', ' ');
  for (const char* controller : {"cpu", "memory"}) {
    if (has_word(offered, controller)) continue;
    return fail(ErrorKind::kUnsupported, own,
                std::string("has no ") + controller +
                    " controller to divide; want one that is delegated, as by: systemd-run --user "
                    "--scope -p Delegate=yes bellows run ...");
  }
  return {};
}

/// Version 2: a group that is divided may have no process but this one, which moves.
Result<void> check_alone(const CgroupFiles& files, const std::string& own) {
  BELLOWS_TRY(const std::string processes, files.read(own + "/cgroup.procs"));
  if (std::ranges::count(processes, '\n') <= 1) return {};
  return fail(ErrorKind::kUnsupported, own, std::string("has other processes; ") + kWantOwnGroup);
}

}  // namespace

CgroupTree::CgroupTree(const CgroupFiles& files, Options options)
    : files_(files), options_(std::move(options)) {}

Result<std::unique_ptr<CgroupTree>> CgroupTree::create(const CgroupFiles& files, Options options) {
  std::unique_ptr<CgroupTree> tree(new CgroupTree(files, std::move(options)));
  tree->remove_leftovers();
  BELLOWS_CHECKED(tree->prepare());
  return tree;
}

CgroupTree::~CgroupTree() {
  const std::string& own = options_.places.folder(Controller::kMemory);
  if (options_.places.version == CgroupVersion::kV2 && has_moved_) {
    // Version 2 requires this order: first remove child groups and controllers, then this process
    // may return.
    for (const std::string& group : files_.groups_in(run_path(Controller::kMemory))) {
      if (group != kMain) (void)files_.remove_group(run_path(Controller::kMemory) + "/" + group);
    }
    (void)files_.write(run_path(Controller::kMemory) + "/cgroup.subtree_control", "-cpu -memory");
    (void)files_.write(own + "/cgroup.subtree_control", "-cpu -memory");
    (void)files_.write(own + "/cgroup.procs", std::to_string(options_.self));
  }
  for (const std::string& folder : own_folders()) remove_run(folder + "/" + options_.run);
}

std::vector<std::string> CgroupTree::own_folders() const {
  std::vector<std::string> folders;
  for (const Controller controller : kControllers) {
    add_once(folders, options_.places.folder(controller));
  }
  return folders;
}

std::string CgroupTree::run_path(Controller controller) const {
  const std::string& own = options_.places.folder(controller);
  return own.empty() ? "" : own + "/" + options_.run;
}

void CgroupTree::remove_leftovers() const {
  for (const std::string& folder : own_folders()) {
    for (const std::string& name : files_.groups_in(folder)) {
      const auto owner = parse_run_folder(name);
      if (owner && name != options_.run && !options_.is_alive(*owner)) {
        remove_run(folder + "/" + name);
      }
    }
  }
}

/// A group that still has a process stays for the next Bellows process.
void CgroupTree::remove_run(const std::string& folder) const {
  for (const std::string& group : files_.groups_in(folder)) {
    (void)files_.remove_group(folder + "/" + group);
  }
  (void)files_.remove_group(folder);
}

Result<void> CgroupTree::prepare() {
  for (const std::string& folder : own_folders()) {
    BELLOWS_CHECKED(files_.make_group(folder + "/" + options_.run));
  }
  if (options_.places.version == CgroupVersion::kV1) return {};
  return divide();
}

Result<void> CgroupTree::divide() {
  const std::string& own = options_.places.folder(Controller::kMemory);
  BELLOWS_CHECKED(check_controllers(files_, own));
  const std::string run = run_path(Controller::kMemory);
  BELLOWS_CHECKED(files_.make_group(run + "/" + kMain));
  BELLOWS_CHECKED(files_.write(run + "/" + kMain + "/cgroup.procs", std::to_string(options_.self)));
  has_moved_ = true;
  if (auto divided = files_.write(own + "/cgroup.subtree_control", "+cpu +memory"); !divided) {
    return fail(Error(ErrorKind::kSystem, own,
                      std::string("cannot be divided, it has other processes; ") + kWantOwnGroup)
                    .caused_by(divided.error()));
  }
  return files_.write(run + "/cgroup.subtree_control", "+cpu +memory");
}

Result<std::unique_ptr<ReplicaGroup>> CgroupTree::make_group(const std::string& name) {
  std::unique_ptr<ReplicaGroup> group(new ReplicaGroup(*this, name));
  // The shim of the last replica may have removed the folder.
  for (const std::string& folder : own_folders()) {
    BELLOWS_CHECKED(files_.make_group(folder + "/" + options_.run));
  }
  for (const std::string& folder : group->folders()) {
    BELLOWS_CHECKED(files_.make_group(folder));
  }
  return group;
}

ReplicaGroup::ReplicaGroup(const CgroupTree& tree, std::string name)
    : tree_(tree), name_(std::move(name)) {}

ReplicaGroup::~ReplicaGroup() {
  for (const std::string& folder : folders()) (void)tree_.files_.remove_group(folder);
}

std::string ReplicaGroup::path(Controller controller) const {
  const std::string run = tree_.run_path(controller);
  return run.empty() ? "" : run + "/" + name_;
}

std::vector<std::string> ReplicaGroup::folders() const {
  std::vector<std::string> folders;
  for (const Controller controller : kControllers) add_once(folders, path(controller));
  return folders;
}

std::vector<std::string> ReplicaGroup::entrances() const {
  std::vector<std::string> files = folders();
  for (std::string& file : files) file += "/cgroup.procs";
  return files;
}

Result<void> ReplicaGroup::resize(ReplicaSize size) {
  if (const auto used = read().memory; used && size.memory_limit) {
    const auto min =
        static_cast<std::int64_t>(std::ceil(static_cast<double>(used->value) * kMemoryMargin));
    size.memory_limit = std::max(*size.memory_limit, Bytes{min});
  }
  size = within(limits_, size);
  const CgroupVersion version = tree_.options_.places.version;
  for (const ControlWrite& write : size_writes(version, size_, size)) {
    const std::string folder = path(write.controller);
    if (folder.empty()) continue;  // version 1 without the cpu controller
    BELLOWS_CHECKED(tree_.files_.write(folder + "/" + write.file, write.text));
  }
  size_ = size;
  return {};
}

Result<void> ReplicaGroup::limit(const AppLimits& limits) {
  limits_ = limits;
  if (limits.cpu) {
    const std::string folder = path(Controller::kCpu);
    if (folder.empty()) {
      return fail(ErrorKind::kUnsupported, "cpu-limit",
                  "want the cpu controller, which is not mounted");
    }
    for (const ControlWrite& write : cpu_limit_writes(tree_.options_.places.version, *limits.cpu)) {
      BELLOWS_CHECKED(tree_.files_.write(folder + "/" + write.file, write.text));
    }
  }
  return resize(size_);
}

GroupUsage ReplicaGroup::read() const {
  const CgroupVersion version = tree_.options_.places.version;
  GroupTexts texts;
  const auto files = usage_files(version);
  for (std::size_t i = 0; i < files.size(); ++i) {
    const std::string folder = path(files[i].controller);
    if (folder.empty()) continue;
    texts[i] = tree_.files_.read(folder + "/" + std::string(files[i].name)).value_or("");
  }
  return parse_group_usage(version, texts);
}

Result<void> ReplicaGroup::check() const {
  const GroupUsage usage = read();
  const auto files = usage_files(tree_.options_.places.version);
  const std::array<bool, 2> is_known{usage.cpu.has_value(), usage.memory.has_value()};
  for (std::size_t i = 0; i < is_known.size(); ++i) {
    if (is_known[i]) continue;
    const std::string file = path(files[i].controller) + "/" + std::string(files[i].name);
    BELLOWS_TRY(const std::string text, tree_.files_.read(file));
    return fail(ErrorKind::kMalformed, file,
                "\"" + text.substr(0, text.find('\n')) + "\": want what was used so far");
  }
  return {};
}

Result<void> can_make_groups() {
  const CgroupFiles& files = system_cgroup_files();
  BELLOWS_TRY(const std::string mountinfo, files.read("/proc/self/mountinfo"));
  BELLOWS_TRY(const std::string self_cgroup, files.read("/proc/self/cgroup"));
  BELLOWS_TRY(const CgroupPlaces places, find_cgroups(mountinfo, self_cgroup));
  for (const Controller controller : kControllers) {
    const std::string& folder = places.folder(controller);
    if (folder.empty() || ::access(folder.c_str(), W_OK) == 0) continue;
    return fail(system_error(folder, "cannot be divided", errno));
  }
  if (places.version == CgroupVersion::kV1) return {};
  const std::string& own = places.folder(Controller::kMemory);
  BELLOWS_CHECKED(check_controllers(files, own));
  return check_alone(files, own);
}

Result<std::unique_ptr<CgroupTree>> system_cgroup_tree() {
  const CgroupFiles& files = system_cgroup_files();
  BELLOWS_TRY(const std::string mountinfo, files.read("/proc/self/mountinfo"));
  BELLOWS_TRY(const std::string self_cgroup, files.read("/proc/self/cgroup"));
  CgroupTree::Options options;
  BELLOWS_TRY(options.places, find_cgroups(mountinfo, self_cgroup));
  options.self = ::getpid();
  options.run = run_folder(options.self, start_ticks_of(options.self).value_or(0));
  options.is_alive = [](const RunOwner& owner) {
    return start_ticks_of(owner.pid) == owner.start_ticks;
  };
  return CgroupTree::create(files, std::move(options));
}

}  // namespace bellows::cluster
