// The table of the commands of `bellows`, and the function that runs each.
#pragma once

#include <span>

#include "command/command.hpp"
#include "command/errors.hpp"

namespace bellows::cli {

using command::Invocation;
using command::kFailure;
using command::kSuccess;
using command::kUsageError;
using command::report_failure;
using command::usage_error;

/// Returns all commands, in the order of the help. Thread: any.
const command::Program& bellows_program();

int run_service(const Invocation& invocation);         ///< bellows run
int run_file(const Invocation& invocation);            ///< bellows up
int apply_file(const Invocation& invocation);          ///< bellows apply
int add_service(const Invocation& invocation);         ///< bellows add
int deploy_service(const Invocation& invocation);      ///< bellows deploy
int remove_service(const Invocation& invocation);      ///< bellows remove
int roll_back(const Invocation& invocation);           ///< bellows rollback
int split_requests(const Invocation& invocation);      ///< bellows split
int test_route(const Invocation& invocation);          ///< bellows route-test
int show_revisions(const Invocation& invocation);      ///< bellows revisions
int show_demo(const Invocation& invocation);           ///< bellows demo
int show_status(const Invocation& invocation);         ///< bellows status
int show_top(const Invocation& invocation);            ///< bellows top
int explain_size(const Invocation& invocation);        ///< bellows recommend
int show_explanation(const Invocation& invocation);    ///< bellows explain
int print_journal(const Invocation& invocation);       ///< bellows journal
int show_learned(const Invocation& invocation);        ///< bellows slow
int show_logs(const Invocation& invocation);           ///< bellows logs
int show_page(const Invocation& invocation);           ///< bellows page
int scale_service(const Invocation& invocation);       ///< bellows scale
int restart_service(const Invocation& invocation);     ///< bellows restart
int reload_settings(const Invocation& invocation);     ///< bellows reload
int stop_machine(const Invocation& invocation);        ///< bellows down
int retire(const Invocation& invocation);              ///< bellows retire
int pause(const Invocation& invocation);               ///< bellows pause
int resume(const Invocation& invocation);              ///< bellows resume
int check(const Invocation& invocation);               ///< bellows check
int inject_manifests(const Invocation& invocation);    ///< bellows inject
int uninject_manifests(const Invocation& invocation);  ///< bellows uninject
int uninstall(const Invocation& invocation);           ///< bellows uninstall
int simulate(const Invocation& invocation);            ///< bellows simulate
int replay_windows(const Invocation& invocation);      ///< bellows replay windows
int replay_decisions(const Invocation& invocation);    ///< bellows replay decisions
int replay_slow(const Invocation& invocation);         ///< bellows replay slow
int convert_maestro(const Invocation& invocation);     ///< bellows convert maestro
int replay_triggers(const Invocation& invocation);     ///< bellows replay triggers

}  // namespace bellows::cli
