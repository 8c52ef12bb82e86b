#include "cluster/local/program_access.hpp"

#include <pwd.h>
#include <sys/stat.h>
#include <sys/xattr.h>
#include <unistd.h>

#include <array>
#include <filesystem>
#include <fstream>
#include <optional>
#include <vector>

#include "base/read_number.hpp"
#include "cluster/local/prepare_service.hpp"

namespace bellows::cluster {

namespace {

struct Identity {
  uid_t user = 0;
  gid_t group = 0;
};

std::optional<Identity> read_identity(const std::string& text) {
  const Account account = account_of(text);
  const auto user = read_number<uid_t>(account.user);
  const auto group = read_number<gid_t>(account.group);
  if (!user || !group) return std::nullopt;
  return Identity{*user, *group};
}

/// Returns "user nobody", or its number without a name.
std::string user_text(uid_t user) {
  std::array<char, 4096> buffer{};
  passwd entry{};
  passwd* found = nullptr;
  ::getpwuid_r(user, &entry, buffer.data(), buffer.size(), &found);
  return "user " + (found != nullptr ? std::string(found->pw_name) : std::to_string(user));
}

bool has_access_list(const std::string& path) {
  return ::getxattr(path.c_str(), "system.posix_acl_access", nullptr, 0) > 0;
}

/// Returns true if the user may enter a folder, or execute a file, or if that is not known.
bool may_execute(const std::string& path, const Identity& who) {
  struct stat about {};
  if (::stat(path.c_str(), &about) != 0 || has_access_list(path)) return true;
  constexpr mode_t kAny = S_IXUSR | S_IXGRP | S_IXOTH;
  if (who.user == 0) return S_ISDIR(about.st_mode) || (about.st_mode & kAny) != 0;
  if (about.st_uid == who.user) return (about.st_mode & S_IXUSR) != 0;
  if (about.st_gid == who.group) return (about.st_mode & S_IXGRP) != 0;
  return (about.st_mode & S_IXOTH) != 0;
}

/// Returns the first folder on the path that may not be entered; empty: none.
template <class MayEnter>
std::string closed_folder(const std::filesystem::path& path, const MayEnter& may_enter) {
  std::filesystem::path folder;
  for (const std::filesystem::path& part : path.parent_path()) {
    folder /= part;
    if (!may_enter(folder.string())) return folder.string();
  }
  return {};
}

std::string closed_text(uid_t user, const std::string& folder, const std::string& program) {
  return user_text(user) + " may not enter the folder " + folder + ", which is on the path of " +
         program;
}

/// Returns the program of the #! line; empty: there is none.
std::string interpreter_of(const std::string& program) {
  std::string line;
  std::ifstream file(program);
  if (!std::getline(file, line) || !line.starts_with("#!")) return {};
  const std::size_t begin = line.find_first_not_of(" \t", 2);
  if (begin == std::string::npos) return {};
  return line.substr(begin, line.find_first_of(" \t\r", begin) - begin);
}

}  // namespace

std::string access_problem(const std::string& program, const std::string& user) {
  const auto who = read_identity(user);
  if (!who) return {};
  std::error_code unknown;
  // The folders behind links count as well.
  const std::filesystem::path real = std::filesystem::canonical(program, unknown);
  for (const std::filesystem::path& path : {std::filesystem::path(program), real}) {
    const std::string closed =
        closed_folder(path, [&](const std::string& folder) { return may_execute(folder, *who); });
    if (!closed.empty()) return closed_text(who->user, closed, program);
  }
  if (may_execute(program, *who)) return {};
  return user_text(who->user) + " may not execute " + program;
}

std::string own_access_problem(const std::string& program) {
  const std::string closed = closed_folder(
      program, [](const std::string& folder) { return ::access(folder.c_str(), X_OK) == 0; });
  return closed.empty() ? std::string() : closed_text(::geteuid(), closed, program);
}

std::string exec_problem(const std::string& name, const std::string& program,
                         const std::string& user) {
  const std::string errno_text = " (" + name + ")";
  if (name == "EACCES") {
    const std::string problem = access_problem(program, user);
    if (!problem.empty()) return problem + errno_text;
    return program + ": its user may not execute it, or may not enter a folder on its path" +
           errno_text;
  }
  if (name != "ENOENT") return program + ": " + name;
  const std::string interpreter = interpreter_of(program);
  if (interpreter.empty()) return program + ": no such program" + errno_text;
  return program + ": no such interpreter: \"" + interpreter + "\", in its #! line" + errno_text;
}

}  // namespace bellows::cluster
