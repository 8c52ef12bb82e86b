// A file or standard input that is read in chunks and may be packed by gzip.
#pragma once

#include <memory>
#include <string>

#include "base/result.hpp"

struct gzFile_s;

namespace bellows::cli {

/// Unpacks gzip while it reads; other content comes as it is. Thread: one at a time.
class TextFile {
 public:
  /// Opens `file`, or standard input for "-". `what` precedes the file in errors: "the trace".
  static Result<TextFile> open(const std::string& file, const std::string& what);

  /// Appends up to `most` bytes to `text`. Returns false at the end.
  Result<bool> read(std::string& text, std::size_t most);

 private:
  struct Close {
    void operator()(gzFile_s* file) const;
  };
  TextFile(std::string name, gzFile_s* file) : name_(std::move(name)), file_(file) {}

  std::string name_;
  std::unique_ptr<gzFile_s, Close> file_;
};

}  // namespace bellows::cli
