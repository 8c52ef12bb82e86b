// gRPC's C++ library as an app and as its caller, with messages of plain bytes:
//   grpc_cpp_peer serve PORT
//   grpc_cpp_peer call PORT CASE       prints what happened as JSON
#include <grpc/support/time.h>
#include <grpcpp/grpcpp.h>
#include <grpcpp/impl/client_unary_call.h>
#include <grpcpp/impl/rpc_method.h>
#include <grpcpp/impl/rpc_service_method.h>
#include <grpcpp/support/byte_buffer.h>
#include <grpcpp/support/method_handler.h>
#include <grpcpp/support/sync_stream.h>

#include <condition_variable>
#include <cstdio>
#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <vector>

namespace {

using grpc::ByteBuffer;
using grpc::ServerContext;
using grpc::Status;
using grpc::internal::RpcMethod;
using Reader = grpc::ServerReader<ByteBuffer>;
using Writer = grpc::ServerWriter<ByteBuffer>;
using Talker = grpc::ServerReaderWriter<ByteBuffer, ByteBuffer>;

constexpr int kMostBytes = 8 << 20;
constexpr int kDeadline = 30'000;  // milliseconds

ByteBuffer message(const std::string& text) {
  const grpc::Slice slice(text);
  return {&slice, 1};
}

std::string text_of(const ByteBuffer& buffer) {
  std::vector<grpc::Slice> slices;
  if (!buffer.Dump(&slices).ok()) return "";
  std::string text;
  for (const grpc::Slice& slice : slices) {
    text.append(reinterpret_cast<const char*>(slice.begin()), slice.size());
  }
  return text;
}

class App final : public grpc::Service {
 public:
  App() {
    add_unary("Echo", [](App*, ServerContext* context, const ByteBuffer* in, ByteBuffer* out) {
      const auto found = context->client_metadata().find("x-test-a");
      if (found != context->client_metadata().end()) {
        context->AddInitialMetadata("x-test-a", {found->second.data(), found->second.size()});
      }
      context->AddTrailingMetadata("x-binary-bin", std::string("\0\xff", 2));
      *out = *in;
      return Status::OK;
    });
    add_unary("AwaitCancelled", [](App* app, ServerContext*, const ByteBuffer*, ByteBuffer* out) {
      std::unique_lock lock(app->mutex_);
      app->has_cancelled_.wait(lock, [app] { return app->is_cancelled_; });
      *out = message("it was");
      return Status::OK;
    });
    add("Hang", RpcMethod::BIDI_STREAMING,
        new grpc::internal::BidiStreamingHandler<App, ByteBuffer, ByteBuffer>(
            [](App* app, ServerContext* context, Talker* both) {
              both->Write(message("runs"));
              for (ByteBuffer next; both->Read(&next);) continue;
              const std::lock_guard lock(app->mutex_);
              app->is_cancelled_ = context->IsCancelled();
              app->has_cancelled_.notify_all();
              return Status::OK;
            },
            this));
    add("Many", RpcMethod::SERVER_STREAMING,
        new grpc::internal::ServerStreamingHandler<App, ByteBuffer, ByteBuffer>(
            [](App*, ServerContext*, const ByteBuffer* in, Writer* out) {
              const int count = std::stoi(text_of(*in));
              for (int i = 0; i < count; ++i) out->Write(message(std::to_string(i)));
              return Status::OK;
            },
            this));
    add("Total", RpcMethod::CLIENT_STREAMING,
        new grpc::internal::ClientStreamingHandler<App, ByteBuffer, ByteBuffer>(
            [](App*, ServerContext*, Reader* in, ByteBuffer* out) {
              std::size_t total = 0;
              for (ByteBuffer next; in->Read(&next);) total += next.Length();
              *out = message(std::to_string(total));
              return Status::OK;
            },
            this));
    add("Talk", RpcMethod::BIDI_STREAMING,
        new grpc::internal::BidiStreamingHandler<App, ByteBuffer, ByteBuffer>(
            [](App*, ServerContext*, Talker* both) {
              for (ByteBuffer next; both->Read(&next);) {
                both->Write(message("re: " + text_of(next)));
              }
              return Status::OK;
            },
            this));
  }

 private:
  using Unary = Status(App*, ServerContext*, const ByteBuffer*, ByteBuffer*);

  void add(const std::string& name, RpcMethod::RpcType type,
           grpc::internal::MethodHandler* handler) {
    names_.push_back("/test.Test/" + name);  // the library keeps a pointer to it
    AddMethod(new grpc::internal::RpcServiceMethod(names_.back().c_str(), type, handler));
  }
  void add_unary(const std::string& name, Unary* call) {
    add(name, RpcMethod::NORMAL_RPC,
        new grpc::internal::RpcMethodHandler<App, ByteBuffer, ByteBuffer>(call, this));
  }

  std::vector<std::string> names_ = reserved();
  static std::vector<std::string> reserved() {
    std::vector<std::string> names;
    names.reserve(16);
    return names;
  }
  std::mutex mutex_;
  std::condition_variable has_cancelled_;
  bool is_cancelled_ = false;  // a call of Hang
};

int serve(const std::string& port) {
  App app;
  grpc::ServerBuilder builder;
  int bound = 0;
  builder.AddListeningPort("127.0.0.1:" + port, grpc::InsecureServerCredentials(), &bound);
  builder.SetMaxReceiveMessageSize(kMostBytes);
  builder.RegisterService(&app);
  const std::unique_ptr<grpc::Server> server = builder.BuildAndStart();
  if (!server || bound == 0) return 1;
  server->Wait();
  return 0;
}

class Caller {
 public:
  explicit Caller(const std::string& port) {
    grpc::ChannelArguments arguments;
    arguments.SetMaxReceiveMessageSize(kMostBytes);
    arguments.SetInt(GRPC_ARG_ENABLE_RETRIES, 0);
    channel_ = grpc::CreateCustomChannel("127.0.0.1:" + port, grpc::InsecureChannelCredentials(),
                                         arguments);
  }
  static void limit(grpc::ClientContext& context, int milliseconds) {
    context.set_deadline(gpr_time_from_millis(milliseconds, GPR_TIMESPAN));
  }
  Status unary(const char* name, grpc::ClientContext& context, const std::string& in,
               std::string& out) {
    ByteBuffer reply;
    const RpcMethod method(name, RpcMethod::NORMAL_RPC, channel_);
    const Status status = grpc::internal::BlockingUnaryCall<ByteBuffer, ByteBuffer>(
        channel_.get(), method, &context, message(in), &reply);
    out = text_of(reply);
    return status;
  }
  void unary_case() {
    grpc::ClientContext context;
    limit(context, kDeadline);
    context.AddMetadata("x-test-a", "b");
    std::string out;
    const Status status = unary("/test.Test/Echo", context, "hello", out);
    const auto initial = context.GetServerInitialMetadata().find("x-test-a");
    const auto binary = context.GetServerTrailingMetadata().find("x-binary-bin");
    const bool has_initial = initial != context.GetServerInitialMetadata().end();
    const bool has_binary = binary != context.GetServerTrailingMetadata().end() &&
                            binary->second == grpc::string_ref("\0\xff", 2);
    std::printf("{\"code\": %d, \"reply\": \"%s\", \"initial\": %s, \"binary\": %s}\n",
                status.error_code(), out.c_str(), has_initial ? "true" : "false",
                has_binary ? "true" : "false");
  }
  void large_case() {
    grpc::ClientContext context;
    limit(context, kDeadline);
    std::string in(4 << 20, '\0');
    for (std::size_t i = 0; i < in.size(); ++i) in[i] = static_cast<char>(i * 31);
    std::string out;
    const Status status = unary("/test.Test/Echo", context, in, out);
    std::printf("{\"code\": %d, \"is_same\": %s}\n", status.error_code(),
                in == out ? "true" : "false");
  }
  void server_stream_case() {
    grpc::ClientContext context;
    limit(context, kDeadline);
    const RpcMethod method("/test.Test/Many", RpcMethod::SERVER_STREAMING, channel_);
    const std::unique_ptr<grpc::ClientReader<ByteBuffer>> reader(
        grpc::internal::ClientReaderFactory<ByteBuffer>::Create(channel_.get(), method, &context,
                                                                message("1000")));
    int sum = 0;
    for (ByteBuffer next; reader->Read(&next);) sum += std::stoi(text_of(next));
    std::printf("{\"code\": %d, \"sum\": %d}\n", reader->Finish().error_code(), sum);
  }
  void client_stream_case() {
    grpc::ClientContext context;
    limit(context, kDeadline);
    const RpcMethod method("/test.Test/Total", RpcMethod::CLIENT_STREAMING, channel_);
    ByteBuffer reply;
    const std::unique_ptr<grpc::ClientWriter<ByteBuffer>> writer(
        grpc::internal::ClientWriterFactory<ByteBuffer>::Create(channel_.get(), method, &context,
                                                                &reply));
    for (int i = 0; i < 500; ++i) writer->Write(message(std::string(1000, 'x')));
    writer->WritesDone();
    const Status status = writer->Finish();
    std::printf("{\"code\": %d, \"reply\": \"%s\"}\n", status.error_code(), text_of(reply).c_str());
  }
  /// Each message is sent after the reply to the one before: nothing is buffered on the way.
  void bidirectional_case() {
    grpc::ClientContext context;
    limit(context, kDeadline);
    const RpcMethod method("/test.Test/Talk", RpcMethod::BIDI_STREAMING, channel_);
    const std::unique_ptr<grpc::ClientReaderWriter<ByteBuffer, ByteBuffer>> both(
        grpc::internal::ClientReaderWriterFactory<ByteBuffer, ByteBuffer>::Create(
            channel_.get(), method, &context));
    int replies = 0;
    ByteBuffer reply;
    while (replies < 50 && both->Write(message(std::to_string(replies))) && both->Read(&reply)) {
      ++replies;
    }
    both->WritesDone();
    const Status status = both->Finish();
    std::printf("{\"code\": %d, \"replies\": %d, \"last\": \"%s\"}\n", status.error_code(), replies,
                text_of(reply).c_str());
  }
  void deadline_case() {
    grpc::ClientContext context;
    limit(context, 1000);
    const auto call = hang(context);
    ByteBuffer reply;
    int replies = 0;
    while (call->Read(&reply)) ++replies;
    std::printf("{\"code\": %d, \"replies\": %d}\n", call->Finish().error_code(), replies);
  }
  /// Cancels a call that is at the app; then the app says that it knows.
  void cancel_case() {
    grpc::ClientContext context;
    limit(context, kDeadline);
    const auto call = hang(context);
    ByteBuffer reply;
    const bool runs = call->Read(&reply);
    context.TryCancel();
    const Status status = call->Finish();
    grpc::ClientContext next;
    limit(next, kDeadline);
    std::string out;
    const Status known = unary("/test.Test/AwaitCancelled", next, "", out);
    std::printf("{\"code\": %d, \"runs\": %s, \"app_knows\": %s}\n", status.error_code(),
                runs ? "true" : "false", known.ok() ? "true" : "false");
  }

 private:
  std::unique_ptr<grpc::ClientReaderWriter<ByteBuffer, ByteBuffer>> hang(
      grpc::ClientContext& context) {
    const RpcMethod method("/test.Test/Hang", RpcMethod::BIDI_STREAMING, channel_);
    return std::unique_ptr<grpc::ClientReaderWriter<ByteBuffer, ByteBuffer>>(
        grpc::internal::ClientReaderWriterFactory<ByteBuffer, ByteBuffer>::Create(
            channel_.get(), method, &context));
  }

  std::shared_ptr<grpc::Channel> channel_;
};

}  // namespace

int main(int count, char** words) {
  const std::vector<std::string> all(words + 1, words + count);
  if (all.size() == 2 && all[0] == "serve") return serve(all[1]);
  static const std::map<std::string, void (Caller::*)()> kCases = {
      {"unary", &Caller::unary_case},
      {"large", &Caller::large_case},
      {"server_stream", &Caller::server_stream_case},
      {"client_stream", &Caller::client_stream_case},
      {"bidirectional", &Caller::bidirectional_case},
      {"deadline", &Caller::deadline_case},
      {"cancel", &Caller::cancel_case}};
  const auto found = all.size() == 3 && all[0] == "call" ? kCases.find(all[2]) : kCases.end();
  if (found == kCases.end()) {
    std::fprintf(stderr, "grpc_cpp_peer: want serve PORT, or call PORT CASE\n");
    return 2;
  }
  Caller caller(all[1]);
  (caller.*found->second)();
  return 0;
}
