#include "cluster/local/command_line.hpp"

#include <sys/stat.h>
#include <unistd.h>

#include <cctype>
#include <cerrno>
#include <filesystem>
#include <optional>

#include "cluster/local/program_access.hpp"

namespace bellows::cluster {

namespace {

/// Returns the length of the $PORT or ${PORT} that `text` starts with, or 0.
std::size_t port_reference(std::string_view text) {
  constexpr std::string_view kBraced = "${PORT}";
  constexpr std::string_view kBare = "$PORT";
  if (text.starts_with(kBraced)) return kBraced.size();
  if (!text.starts_with(kBare)) return 0;
  if (text.size() == kBare.size()) return kBare.size();
  const auto next = static_cast<unsigned char>(text[kBare.size()]);
  return std::isalnum(next) != 0 || next == '_' ? 0 : kBare.size();
}

std::string word_with_port(std::string_view text, const std::string& port) {
  std::string replaced;
  while (!text.empty()) {
    const std::size_t length = port_reference(text);
    if (length > 0) {
      replaced += port;
      text.remove_prefix(length);
    } else {
      // "$$PORT" is the shell's pid and the word PORT.
      const std::size_t plain = text.starts_with("$$") ? 2 : 1;
      replaced += text.substr(0, plain);
      text.remove_prefix(plain);
    }
  }
  return replaced;
}

enum class Candidate : std::uint8_t { kProgram, kMissing, kUnknown, kDirectory, kNotExecutable };

Candidate judge(const std::string& path) {
  struct stat about {};
  if (::stat(path.c_str(), &about) != 0) {
    return errno == EACCES ? Candidate::kUnknown : Candidate::kMissing;
  }
  if (S_ISDIR(about.st_mode)) return Candidate::kDirectory;
  return ::access(path.c_str(), X_OK) == 0 ? Candidate::kProgram : Candidate::kNotExecutable;
}

Result<std::string> find_by_path(std::string_view program, std::string_view working_directory) {
  // Absolute, because the child changes its directory before exec.
  const std::string path =
      std::filesystem::absolute(std::filesystem::path(working_directory) / program)
          .lexically_normal();
  switch (judge(path)) {
    case Candidate::kProgram:
      return path;
    case Candidate::kMissing:
      return fail(ErrorKind::kNotFound, std::string(program), "no such program");
    case Candidate::kUnknown:
      return fail(ErrorKind::kSystem, std::string(program), own_access_problem(path) + " (EACCES)");
    case Candidate::kDirectory:
      return fail(ErrorKind::kSystem, std::string(program), "is a directory, not a program");
    case Candidate::kNotExecutable:
      break;
  }
  return fail(ErrorKind::kSystem, std::string(program), "not executable");
}

}  // namespace

std::vector<std::string> with_port(const std::vector<std::string>& command, std::uint16_t port) {
  std::vector<std::string> replaced;
  replaced.reserve(command.size());
  for (const std::string& word : command)
    replaced.push_back(word_with_port(word, std::to_string(port)));
  return replaced;
}

Result<std::string> find_program(std::string_view program, std::string_view working_directory,
                                 std::string_view search_path) {
  if (program.empty()) return fail(ErrorKind::kNotFound, "command", "is empty");
  if (program.find('/') != std::string_view::npos) {
    return find_by_path(program, working_directory);
  }
  bool is_there = false;
  for (std::string_view rest = search_path; !rest.empty();) {
    const std::size_t colon = rest.find(':');
    const std::string_view folder = rest.substr(0, colon);
    rest = colon == std::string_view::npos ? std::string_view() : rest.substr(colon + 1);
    // The child would resolve a relative path from another folder.
    if (!folder.starts_with('/')) continue;
    std::string path = std::string(folder) + "/" + std::string(program);
    const Candidate candidate = judge(path);
    if (candidate == Candidate::kProgram) return path;
    is_there = is_there || candidate == Candidate::kNotExecutable;
  }
  if (is_there) return fail(ErrorKind::kSystem, std::string(program), "not executable");
  return fail(ErrorKind::kNotFound, std::string(program), "no such program in PATH");
}

}  // namespace bellows::cluster
