// gRPC's C++ library as an app and as its load, with messages of plain bytes:
//   grpc_load serve PORT
//   grpc_load call PORT CALLS SECONDS      keeps so many unary calls under way on one channel, and
//                                          prints how many were answered, as JSON
#include <grpc/support/time.h>
#include <grpcpp/generic/async_generic_service.h>
#include <grpcpp/generic/generic_stub.h>
#include <grpcpp/grpcpp.h>
#include <grpcpp/support/byte_buffer.h>

#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <memory>
#include <string>
#include <vector>

namespace {

using grpc::ByteBuffer;

constexpr const char* kMethod = "/test.Test/Unary";
constexpr std::size_t kMessageBytes = 59;  // 64 with its prefix
constexpr int kDeadline = 10'000;          // milliseconds

/// One call at the app: read, then answered with what came. Deletes itself, and makes its
/// successor.
class Served {
 public:
  Served(grpc::AsyncGenericService& service, grpc::ServerCompletionQueue& queue)
      : service_(service), queue_(queue), stream_(&context_) {
    service_.RequestCall(&context_, &stream_, &queue_, &queue_, this);
  }
  void step(bool is_ok) {
    if (state_ == State::kAwaited && is_ok) new Served(service_, queue_);
    if (!is_ok || state_ == State::kAnswered) {
      delete this;
    } else if (state_ == State::kAwaited) {
      state_ = State::kRead;
      stream_.Read(&message_, this);
    } else {
      state_ = State::kAnswered;
      stream_.WriteAndFinish(message_, {}, grpc::Status::OK, this);
    }
  }

 private:
  enum class State : std::uint8_t { kAwaited, kRead, kAnswered };  // each -> next

  grpc::AsyncGenericService& service_;
  grpc::ServerCompletionQueue& queue_;
  grpc::GenericServerContext context_;
  grpc::GenericServerAsyncReaderWriter stream_;
  ByteBuffer message_;
  State state_ = State::kAwaited;
};

int serve(const std::string& port) {
  grpc::AsyncGenericService service;
  grpc::ServerBuilder builder;
  int bound = 0;
  builder.AddListeningPort("127.0.0.1:" + port, grpc::InsecureServerCredentials(), &bound);
  builder.RegisterAsyncGenericService(&service);
  const std::unique_ptr<grpc::ServerCompletionQueue> queue = builder.AddCompletionQueue();
  const std::unique_ptr<grpc::Server> server = builder.BuildAndStart();
  if (!server || bound == 0) return 1;
  new Served(service, *queue);
  void* tag = nullptr;
  for (bool is_ok = false; queue->Next(&tag, &is_ok);) static_cast<Served*>(tag)->step(is_ok);
  return 0;
}

/// One unary call.
struct Call {
  grpc::ClientContext context;
  ByteBuffer reply;
  grpc::Status status;
  std::unique_ptr<grpc::ClientAsyncResponseReader<ByteBuffer>> reader;
};

int call(const std::string& port, int calls, double seconds) {
  grpc::ChannelArguments arguments;
  arguments.SetInt(GRPC_ARG_ENABLE_RETRIES, 0);
  grpc::GenericStub app(grpc::CreateCustomChannel("127.0.0.1:" + port,
                                                  grpc::InsecureChannelCredentials(), arguments));
  grpc::CompletionQueue queue;
  const grpc::Slice slice(std::string(kMessageBytes, 'x'));
  const ByteBuffer message(&slice, 1);
  const auto begin = [&] {
    auto* const next = new Call;
    next->context.set_deadline(gpr_time_from_millis(kDeadline, GPR_TIMESPAN));
    next->reader = app.PrepareUnaryCall(&next->context, kMethod, message, &queue);
    next->reader->StartCall();
    next->reader->Finish(&next->reply, &next->status, next);
  };
  const auto milliseconds = static_cast<std::int64_t>(seconds * 1000);
  const gpr_timespec end =
      gpr_time_add(gpr_now(GPR_CLOCK_MONOTONIC), gpr_time_from_millis(milliseconds, GPR_TIMESPAN));
  long answered = 0;
  long failed = 0;
  int under_way = 0;
  for (; under_way < calls; ++under_way) begin();
  void* tag = nullptr;
  for (bool is_ok = false; under_way > 0 && queue.Next(&tag, &is_ok);) {
    const std::unique_ptr<Call> done(static_cast<Call*>(tag));
    const bool is_whole = done->status.ok() && done->reply.Length() == kMessageBytes;
    ++(is_whole ? answered : failed);
    --under_way;
    if (gpr_time_cmp(gpr_now(GPR_CLOCK_MONOTONIC), end) >= 0) continue;
    begin();
    ++under_way;
  }
  std::printf("{\"answered\": %ld, \"failed\": %ld}\n", answered, failed);
  return 0;
}

}  // namespace

int main(int count, char** words) {
  const std::vector<std::string> all(words + 1, words + count);
  if (all.size() == 2 && all[0] == "serve") return serve(all[1]);
  if (all.size() == 4 && all[0] == "call") {
    return call(all[1], std::atoi(all[2].c_str()), std::atof(all[3].c_str()));
  }
  std::fprintf(stderr, "grpc_load: want serve PORT, or call PORT CALLS SECONDS\n");
  return 2;
}
