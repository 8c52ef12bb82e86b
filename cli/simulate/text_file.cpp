#include "cli/simulate/text_file.hpp"

#include <fcntl.h>
#include <unistd.h>
#include <zlib.h>

#include <algorithm>
#include <cerrno>
#include <utility>

#include "command/input.hpp"

namespace bellows::cli {

void TextFile::Close::operator()(gzFile_s* file) const {
  gzclose(file);
}

Result<TextFile> TextFile::open(const std::string& file, const std::string& what) {
  std::string name = what + " " + command::input_name(file);
  const int descriptor = file == command::kStandardInput
                             ? dup(STDIN_FILENO)
                             : ::open(file.c_str(), O_RDONLY | O_CLOEXEC);
  if (descriptor < 0) return fail(system_error(std::move(name), "cannot be read", errno));
  gzFile_s* const opened = gzdopen(descriptor, "rb");  // owns the descriptor
  if (opened == nullptr) {
    close(descriptor);
    return fail(system_error(std::move(name), "cannot be read", ENOMEM));
  }
  constexpr unsigned kBuffer = 1U << 18U;
  gzbuffer(opened, kBuffer);
  return TextFile(std::move(name), opened);
}

Result<bool> TextFile::read(std::string& text, std::size_t most) {
  const std::size_t before = text.size();
  text.resize(before + most);
  const int count = gzread(file_.get(), text.data() + before, static_cast<unsigned>(most));
  text.resize(before + static_cast<std::size_t>(std::max(count, 0)));
  if (count > 0) return true;
  int problem = Z_OK;
  gzerror(file_.get(), &problem);
  if (problem == Z_ERRNO) return fail(system_error(name_, "cannot be read", errno));
  if (problem == Z_OK) return false;
  return fail(ErrorKind::kMalformed, name_,
              problem == Z_BUF_ERROR ? "the gzip file ends before its content: want the whole file"
                                     : "the gzip file is damaged: want one that gzip -t accepts");
}

}  // namespace bellows::cli
