// The job of a replica-shim: its arguments, and the lines of its status pipe.
#pragma once

#include <fcntl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <charconv>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <span>

namespace bellows::shim {

inline constexpr unsigned long kUnchanged = static_cast<unsigned long>(-1);

struct Job {
  int lifeline = -1;
  int status = -1;
  unsigned long descriptors = 0;  // 0: unlimited
  unsigned long user = kUnchanged;
  unsigned long group_id = kUnchanged;
  bool no_new_privileges = false;
  unsigned long port = 0;         // that must be free before the start; 0: any
  bool is_starter = false;        // the command starts the app and ends
  unsigned long stop_time = 0;    // of the stop command, in ms
  char** stop = nullptr;          // ends with nullptr; nullptr: there is no stop command
  char** command = nullptr;       // ends with nullptr
  std::span<char* const> groups;  // "--group", file, "--group", file, ...
  pid_t pid = -1;                 // of the command, also its process group
};

inline bool read_number(const char* text, unsigned long& number) {
  const char* end = text + std::strlen(text);
  const auto [stop, error] = std::from_chars(text, end, number);
  return error == std::errc() && stop == end;
}

inline bool read_descriptor(const char* text, int& descriptor) {
  unsigned long number = 0;
  if (!read_number(text, number)) return false;
  descriptor = static_cast<int>(number);
  return fcntl(descriptor, F_GETFD) >= 0;
}

/// Reads the option at `at`, which has a value, and moves `at` behind both. Returns false if there
/// is no such option, or its value is invalid.
inline bool read_option(char**& at, char** end, Job& job) {
  char* const name = at[0];
  char* const value = at[1];
  const auto is = [name](const char* option) { return std::strcmp(name, option) == 0; };
  at += 2;
  if (is("--descriptors")) return read_number(value, job.descriptors);
  if (is("--user")) return read_number(value, job.user);
  if (is("--group-id")) return read_number(value, job.group_id);
  if (is("--port")) return read_number(value, job.port);
  if (is("--stop-time")) return read_number(value, job.stop_time);
  if (is("--no-new-privileges")) return job.no_new_privileges = true;
  if (is("--starts")) return job.is_starter = true;
  unsigned long words = 0;
  if (!is("--stop") || !read_number(value, words) || words == 0) return false;
  if (words >= static_cast<unsigned long>(end - at)) return false;
  job.stop = at;
  at += words;
  *at++ = nullptr;  // in the place of "."
  return true;
}

inline bool read_arguments(int argc, char** argv, Job& job) {
  if (argc < 5 || !read_descriptor(argv[1], job.lifeline) ||
      !read_descriptor(argv[2], job.status)) {
    return false;
  }
  char** const end = argv + argc;
  char** at = argv + 3;
  while (at + 2 < end && std::strcmp(*at, "--") != 0 && std::strcmp(*at, "--group") != 0) {
    if (!read_option(at, end, job)) return false;
  }
  char** const groups = at;
  while (at + 2 < end && std::strcmp(*at, "--group") == 0) at += 2;
  job.groups = {groups, at};
  job.command = at + 1;
  return job.command < end && std::strcmp(*at, "--") == 0;
}

/// Ignores errors: the end is the same if the reader has gone.
inline void report(const Job& job, const char* word, const char* what) {
  char line[64];
  const int length = std::snprintf(line, sizeof line, "%s %s\n", word, what);
  [[maybe_unused]] const ssize_t written = write(job.status, line, static_cast<size_t>(length));
}

inline void report(const Job& job, const char* word, unsigned long number) {
  char text[24];
  std::snprintf(text, sizeof text, "%lu", number);
  report(job, word, text);
}

/// Reports how a process has ended, as "exited 1", or "stop-exited 1" with the prefix "stop-".
inline void report_end(const Job& job, const char* prefix, int status) {
  char word[24];
  const bool has_exited = WIFEXITED(status);
  std::snprintf(word, sizeof word, "%s%s", prefix, has_exited ? "exited" : "killed");
  if (has_exited) return report(job, word, static_cast<unsigned long>(WEXITSTATUS(status)));
  const char* name = sigabbrev_np(WTERMSIG(status));
  char text[24];
  std::snprintf(text, sizeof text, "SIG%s", name != nullptr ? name : "?");
  report(job, word, text);
}

}  // namespace bellows::shim
