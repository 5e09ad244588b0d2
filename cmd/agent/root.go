package main

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"agent/internal/app"
	"agent/internal/atcmd"
	"agent/internal/base/lazyregexp"
	"agent/internal/base/safeout"
	"agent/internal/frontend/cli"
	"agent/internal/frontend/script"
	"agent/internal/gate"
	"agent/internal/streamjson"

	"github.com/spf13/cobra"
)

// sessionOptions holds the flags of the commands that converse: agent and agent demo.
type sessionOptions struct {
	settingsOptions
	// Options configures the conversation.
	app.Options

	prompt string
	// timeout limits a non-interactive run; 0 means no limit.
	timeout time.Duration
	// images lists the files to send with the prompt.
	images []string
	// headless is set if -p was given, with or without a prompt.
	headless bool
	// worktree is the name of the worktree to use, or "" for none.
	worktree string
	output   string
	// input is the format of standard input in a non-interactive run: text or JSON lines.
	input        string
	screenReader bool
	answer       answerFlags
	debug        bool
	bg           backgroundFlags
}

// answerFlags holds the flags for the answer of a non-interactive run.
type answerFlags struct {
	// file is a file that also receives the answer, "" for none.
	file string
	// schema is the JSON Schema of the answer, or the name of its file; "" for none.
	schema string
}

// backgroundFlags holds the flags of a session without a terminal. inside is set in the process that runs
// this session.
type backgroundFlags struct{ asked, inside bool }

// execute runs the command line and returns the exit status. Only execute prints errors, each once.
func execute(ctx context.Context, args []string, w world) int {
	w.process.Commands = w.shellCommands
	root := newRoot(w, converse)
	root.SetArgs(withSessionID(args))
	err := root.ExecuteContext(ctx)
	switch {
	case errors.Is(err, safeout.ErrReaderGone): // no message: the reader closed the output on purpose
	case errors.Is(err, context.Canceled):
		_ = w.tell("agent: interrupted")
	case err != nil && err.Error() != "":
		_ = w.tell("agent: " + err.Error())
	}
	return exitStatus(err)
}

// converse runs a session with the endpoint that the user chose.
func converse(ctx context.Context, w world, o sessionOptions) error {
	if o.Record.Resume == askSession || o.Record.Resume != "" && !o.headless {
		id, err := pickSession(ctx, w, o)
		if err != nil || id == "" {
			return err
		}
		o.Record.Resume = id
	}
	if o.bg.asked && !o.bg.inside {
		return startBackground(ctx, w)
	}
	say, err := o.inWorktree(ctx, w)
	if err != nil {
		return err
	}
	defer say()
	if o.bg.asked {
		return runBackground(ctx, w, o)
	}
	if o.headless {
		return runHeadless(ctx, w, o, app.FindEndpoint)
	}
	return runInteractive(ctx, w, o)
}

// newRoot returns the commands of the program. run is the action of agent itself; tests pass a function
// that inspects the options.
func newRoot(w world, run func(context.Context, world, sessionOptions) error) *cobra.Command {
	var o sessionOptions
	root := &cobra.Command{
		Use:   "agent [PROMPT…]",
		Short: "A coding agent for the terminal that keeps its context small",
		Long: `A language model reads and edits the code in the current folder, and asks you before it
changes anything. Without arguments, agent opens an interactive session. Arguments become
the first message. -p runs one prompt for scripts.

Any OpenAI-compatible endpoint works: set --base-url or OPENAI_BASE_URL, and OPENAI_API_KEY
if the endpoint needs a key. To try it without a key, run: agent demo`,
		Version:       builtFrom(),
		Args:          cobra.ArbitraryArgs,
		SilenceErrors: true,
		SilenceUsage:  true,
		RunE: func(cmd *cobra.Command, args []string) error {
			o.headless, o.Named = cmd.Flags().Changed("prompt") || o.bg.asked, cmd.Flags().Changed("workspace")
			if !o.headless && cmd.ArgsLenAtDash() < 0 {
				if err := mistyped(cmd, args); err != nil {
					return err
				}
			}
			return run(cmd.Context(), w, o.withWords(args))
		},
	}
	root.SetIn(w.stdin)
	root.SetOut(w.out)
	root.SetErr(w.people)
	root.SetHelpFunc(func(cmd *cobra.Command, _ []string) { cli.Help(w.out, columns(w.stdout), cmd) })
	root.SetFlagErrorFunc(cli.FlagError)
	o.register(root, w)
	root.AddCommand(
		newDemo(w),
		newContext(w),
		newSavings(w),
		newACP(w),
		newSchema(w),
		newProfile(w),
		newSettingsCommand(w),
		newModels(w),
		newLogin(w),
		newLogout(w),
		newDoctor(w),
		newSessions(w), newBoard(w), newAttach(w), newNotes(w),
		newSandbox(w),
		newWorktree(w),
		newTrust(w),
		newPolicy(w),
		newReview(w, run),
		newPlugin(w),
		newInit(w, run),
		newMCP(w),
		newImport(w),
		newMan(w),
	)
	root.AddCommand(newDocs(w))
	root.SetHelpCommand(cli.NewHelp(func(words []string) error { return searchDocs(w, root, words) }))
	cli.StrictCompletion(root)
	describe(root)
	return root
}

// registerLimits declares the flags that every conversation has, for its settings and permissions.
func (o *sessionOptions) registerLimits(cmd *cobra.Command, w world) {
	o.settingsOptions.register(cmd, w)
	f := cmd.Flags()
	f.StringVar(&o.approvalMode, "approval-mode", "", "the approval `MODE`: "+strings.Join(gate.ModeNames(), ", "))
	repeatable(f, &o.Allow, "allow", "", "allow calls that match `TOOL(PATTERN)` without asking (repeatable)")
	repeatable(f, &o.AllowOutside, "allow-outside", "", "run commands that match `TOOL(PATTERN)` outside the sandbox without asking (repeatable)")
	f.StringVar(&o.maxTurns, "max-turns", "", "at most `N` model requests per prompt (default unlimited)")
	f.StringVar(&o.maxCost, "max-cost", "", "stop after spending `USD` in this run")
	f.BoolVar(&o.TrustProject, "trust-project", false, "approve the configuration of the repository for this run")
	f.BoolVar(&o.debug, "debug", false, "write details to the log file")
	completeFlag(cmd, "approval-mode", cobra.FixedCompletions(gate.ModeNames(), cobra.ShellCompDirectiveNoFileComp))
}

func (o *sessionOptions) register(cmd *cobra.Command, w world) {
	o.registerLimits(cmd, w)
	f := cmd.Flags()
	f.StringVarP(&o.prompt, "prompt", "p", "", "run `PROMPT` without a screen and print the answer; piped input is appended")
	repeatable(f, &o.images, "image", "i", "send the image in `FILE` with the prompt (repeatable)")
	f.StringVarP(&o.Workspace, "workspace", "C", "", "the `DIR` to work in instead of the current folder")
	f.StringVar(&o.worktree, "worktree", "", "work in the git worktree `NAME` on branch agent/NAME; create it if missing")
	f.BoolVar(&o.bg.asked, "bg", false, "run the prompt of -p or standard input in the background; agent attach shows the session")
	f.BoolVar(&o.bg.inside, inBackground, false, "run as the process that --bg starts")
	_ = f.MarkHidden(inBackground) // the flag exists
	f.DurationVar(&o.timeout, "timeout", 0, "end -p after `DURATION`, such as 90s or 10m")
	f.StringVar(&o.output, "output-format", streamjson.FormatText, "the `FORMAT` of the output of -p: "+strings.Join(streamjson.Formats, ", "))
	f.StringVar(&o.input, "input-format", streamjson.FormatText, "the `FORMAT` of the input of -p: text, or stream-json (messages, answers and cancels as JSON lines)")
	f.BoolVarP(&o.Record.Continue, "continue", "c", false, "resume the latest session in this folder")
	f.StringVarP(&o.Record.Resume, "resume", "r", "", "resume the session `NAME`: an ID, the end of an ID, or words of the title; without NAME, choose from a list")
	f.StringVar(&o.Record.ID, "session-id", "", "resume the session with this `ID`, or create it; for jobs that are retried")
	f.StringVarP(&o.answer.file, "output-file", "o", "", "with -p: also write the answer to `FILE`")
	f.StringVar(&o.answer.schema, "output-schema", "", "with -p: answer in JSON that matches the JSON Schema in `FILE`, or a schema as text; for /review: findings or sarif")
	f.BoolVar(&o.Record.Fork, "fork", false, "with -c or -r: continue in a copy of the session")
	f.BoolVar(&o.screenReader, "screen-reader", false, "print plain lines for screen readers")
	f.BoolVar(&o.Record.Off, "no-session", false, "do not record the session")
	f.BoolVar(&o.NoSetup, "no-setup", false, "ignore all instructions, skills, commands and servers, also your own")
	repeatable(f, &o.Servers, "mcp-config", "", "add MCP servers from `FILE` or JSON; they override yours (repeatable)")
	cmd.MarkFlagsMutuallyExclusive("continue", "resume", "no-session") // for completion; check has the errors
	cmd.PreRunE = func(cmd *cobra.Command, _ []string) error {
		if err := o.check(cmd.Flags().Changed); err != nil {
			return usage(err)
		}
		return nil
	}
	completeFlag(cmd, "resume", completeSessions(w))
	completeFlag(cmd, "input-format", cobra.FixedCompletions([]string{streamjson.FormatText, streamjson.FormatStreamJSON}, cobra.ShellCompDirectiveNoFileComp))
	completeFlag(cmd, "output-format", cobra.FixedCompletions(streamjson.Formats, cobra.ShellCompDirectiveNoFileComp))
}

// sessionIDs matches the ids that a user can choose.
var sessionIDs = lazyregexp.New(`^[A-Za-z0-9._-]{1,64}$`)

// isSessionID reports whether an id can be the name of a file.
func isSessionID(id string) bool { return sessionIDs.MatchString(id) && strings.Trim(id, ".") != "" }

// check returns an error for invalid values, and for flags that cannot be combined. given reports whether
// the user set a flag.
func (o *sessionOptions) check(given func(flag string) bool) error {
	prints, lines := given("prompt"), o.input == streamjson.FormatStreamJSON
	several := func(flags ...string) bool {
		return len(slices.DeleteFunc(flags, func(flag string) bool { return !given(flag) })) > 1
	}
	for _, wrong := range []struct {
		is  bool
		err error
	}{
		{several("continue", "resume", "no-session"), errors.New("can't combine --continue, --resume and --no-session: choose one")},
		{o.Record.Fork && !o.Record.Continue && o.Record.Resume == "", errors.New("--fork needs a session: add -r ID, or -c for the latest")},
		{given("session-id") && !isSessionID(o.Record.ID), fmt.Errorf("--session-id %q: use 1 to 64 letters, digits, dots, dashes and underscores", o.Record.ID)},
		{given("session-id") && (o.Record.Continue || o.Record.Resume != "" || o.Record.Fork || o.Record.Off), errors.New("can't combine --session-id with --continue, --resume, --fork or --no-session")},
		{given("output-file") && !prints, errors.New("-o needs -p: it writes the answer of one prompt")},
		{!lines && o.input != streamjson.FormatText, fmt.Errorf("unknown input format %q; choose text or stream-json", o.input)},
		{lines && (!prints || o.output != streamjson.FormatStreamJSON), errors.New("--input-format stream-json needs -p and --output-format stream-json; the value of -p is the first message (may be '')")},
		{lines && (o.answer.schema != "" || o.answer.file != ""), errors.New("can't combine --input-format stream-json with --output-schema or -o: a stream has several answers")},
		{given("output-schema") && !prints, errors.New("--output-schema needs -p: it sets the format of one answer")},
		{given("timeout") && !prints, script.ErrTimeout},
		{o.bg.asked && (given("no-session") || given("timeout") || given("output-format") || given("output-file") || given("output-schema") || given("input-format")), errors.New("can't combine --bg with --no-session, --timeout, --input-format or output flags: a background session is recorded and prints no answer")},
	} {
		if wrong.is {
			return wrong.err
		}
	}
	return nil
}

// completeFlag registers the completion of a flag's value. It cannot fail for a flag that exists.
func completeFlag(cmd *cobra.Command, flag string, complete cobra.CompletionFunc) {
	if err := cmd.RegisterFlagCompletionFunc(flag, complete); err != nil {
		panic(err)
	}
}

// message returns the prompt of the command line with the images of the flags.
func (o sessionOptions) message(w world) atcmd.Message {
	var message atcmd.Message
	for _, path := range o.images {
		message = append(message, atcmd.ImagePart(w.process.Path(path)), atcmd.Part{Text: " "})
	}
	return append(message, atcmd.TypedMessage(strings.TrimSpace(o.prompt))...)
}

// withWords returns the options with the words of the command line added to the prompt.
func (o sessionOptions) withWords(words []string) sessionOptions {
	o.prompt = strings.TrimSpace(strings.Join(append([]string{o.prompt}, words...), " "))
	return o
}

// newConversation creates the conversation that the flags describe.
func newConversation(ctx context.Context, w world, o sessionOptions) (_ *app.Conversation, err error) {
	if _, err := w.startLog(o.debug); err != nil {
		return nil, err
	}
	if o.Settings, err = w.process.Settings(o.sources()); err != nil {
		return nil, err
	}
	o.KeepEndpoint = o.isolated || o.profile != ""
	return app.New(ctx, w.process, o.Options)
}

// newMan returns the command that prints the manual page, for packages to install.
func newMan(w world) *cobra.Command {
	return &cobra.Command{
		Use:    "man",
		Short:  "Print the manual page",
		Hidden: true,
		Args:   cli.ExactArgs(0, "no arguments"),
		RunE: func(cmd *cobra.Command, _ []string) error {
			_, err := w.stdout.WriteString(cli.ManPage(cmd.Root(), exitStatuses))
			return err
		},
	}
}
