// Package script runs a conversation for a script: one prompt, or lines of input, to the end. Package
// streamjson prints the results.
package script

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"slices"
	"strings"
	"time"

	"agent/internal/frontend/clients"

	"agent/internal/app"
	"agent/internal/atcmd"
	"agent/internal/base/fsutil"
	"agent/internal/base/outputschema"
	"agent/internal/chat"
	"agent/internal/command"
	"agent/internal/extend/mcp/bridge"
	"agent/internal/extend/setup/consent"
	"agent/internal/history"
	"agent/internal/llm"
	"agent/internal/slash"
	"agent/internal/streamjson"
)

// Options describes a run: its prompt, and the use of its answer.
type Options struct {
	// In is standard input. Out receives the result, and People receives messages for people.
	In          *os.File
	Out, People io.Writer
	Now         func() time.Time
	// Open creates the conversation.
	Open func(ctx context.Context, front app.Options) (*app.Conversation, error)
	// Status returns the exit status for the end of a run.
	Status func(outcome chat.Outcome, err error) int
	// Format is one of streamjson.Formats.
	Format string
	// Streams is set if the run reads JSON lines: messages, answers and cancels.
	Streams bool
	// Message is the prompt; piped input is appended to it.
	Message atcmd.Message
	// Timeout limits the run; 0 means no limit.
	Timeout time.Duration
	// Shape is the schema of the answer. If it is nil, any answer is valid.
	Shape *outputschema.Schema
	// OutputSchema is the value of --output-schema.
	OutputSchema string
	// Retryable is set for a job that may be retried. If the latest message of the session is the answer to
	// this prompt, the answer is read from the record.
	Retryable bool
	// AnswerFile is a file that also receives the answer, "" for none.
	AnswerFile string
}

// Run runs one prompt, or the lines of its input, to the end, prints the result and returns its exit
// status. It never reads from a terminal. It also returns an error that was printed with the result.
func Run(ctx context.Context, o Options) (status int, err error) {
	if o.Shape != nil && o.Shape.Strict() == nil {
		fmt.Fprintln(o.People, "servers can't enforce this schema; agent describes it in the prompt and checks the answer")
	}
	if o.Timeout > 0 {
		var stop context.CancelFunc
		ctx, stop = context.WithTimeoutCause(ctx, o.Timeout, TimeoutError(o.Timeout))
		defer stop()
	}
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	r := &run{Options: o, printer: streamjson.NewPrinter(o.Format, o.Out, o.People), stop: cancel, changed: make(chan struct{}, 1), open: map[int]chat.Approval{}}
	defer func() {
		if r.talk != nil {
			r.host.Close()
			r.talk.Close()
		}
	}()
	started := o.Now()
	done := &r.done
	done.Err = r.converse(ctx)
	if late, is := errors.AsType[TimeoutError](context.Cause(ctx)); is {
		done.Err = late
	}
	done.Duration = o.Now().Sub(started)
	if o.AnswerFile != "" && done.Err == nil {
		if err := fsutil.Replace(o.AnswerFile, []byte(done.Answer()+"\n"), 0o666); err != nil {
			done.Err = fmt.Errorf("can't write the answer to %s: %w", o.AnswerFile, fsutil.Reason(err))
		}
	}
	done.Exit = o.Status(done.Outcome, done.Err)
	if err := r.printer.Finish(*done); err != nil {
		return done.Exit, fmt.Errorf("can't write the result: %w", err)
	}
	return done.Exit, done.Err
}

// converse creates the conversation and runs it to its end.
func (r *run) converse(ctx context.Context) error {
	var prompt atcmd.Message
	var err error
	if !r.Streams {
		if prompt, err = r.Prompt(ctx); err != nil {
			return err
		}
	}
	c, err := r.Open(ctx, app.Options{Events: r.event, Unattended: !r.Streams})
	if err != nil {
		return err
	}
	r.talk = c
	_ = r.host.Open(ctx, c, r.Now, clients.Options{}) // without a socket the run continues all the same
	if err := c.CheckCostLimit(); err != nil {
		return err
	}
	for _, notice := range c.Notices {
		fmt.Fprintln(r.People, notice)
	}
	r.done.SessionID = c.SessionID()
	r.printer.Start(r.done.SessionID, loadedSetup(c))
	switch {
	case r.Streams:
		r.done.Outcome, err = r.serve(ctx)
	case r.Retryable:
		r.done.Outcome, err = respondOnce(ctx, c, prompt)
	default:
		r.done.Outcome, err = respond(ctx, c, prompt)
	}
	if r.Shape != nil && err == nil && r.done.Outcome.Stop == chat.StopDone {
		if r.done.Output, err = fitAnswer(ctx, c, r.Shape, &r.done.Outcome); err == nil {
			r.done.Output, err = r.finalOutput(c, r.done.Output)
		}
	}
	r.done.Setup = leftOut(c)
	return err
}

// loadedSetup lists the parts of the configuration that a run starts with.
func loadedSetup(c *app.Conversation) streamjson.LoadedSetup {
	with := streamjson.LoadedSetup{Servers: []streamjson.LoadedServer{}, Skills: []string{}, Commands: []string{}, Hooks: []string{}}
	for _, s := range c.Servers.Status() {
		with.Servers = append(with.Servers, streamjson.LoadedServer{Name: s.Configured.Name, State: string(s.State), Reason: s.Reason})
	}
	for _, e := range c.Brought.Set().Callable() {
		if e.Entry.IsSkill() {
			with.Skills = append(with.Skills, e.As)
		} else {
			with.Commands = append(with.Commands, e.As)
		}
	}
	for _, h := range c.Hooking.Statuses() {
		if h.Used {
			with.Hooks = append(with.Hooks, h.Name)
		}
	}
	return with
}

// leftOut lists the parts of the configuration that a run does not use, or nil if it uses all.
func leftOut(c *app.Conversation) *streamjson.Setup {
	report, _ := c.Trust.Report() // unreadable files were already reported
	setup := streamjson.Setup{Ignored: report.Ignored, Failed: slices.Clone(c.LeftOut)}
	for _, e := range report.Items {
		said := fmt.Sprintf("%s %s (%s)", e.Kind, e.Name, e.File)
		switch e.State {
		case consent.StateRefused:
			setup.Refused = append(setup.Refused, said)
		case consent.StateWaiting, consent.StateChanged:
			setup.Waiting = append(setup.Waiting, said)
		}
	}
	for _, s := range c.Servers.Status() {
		if s.State == bridge.StateFailed {
			setup.Failed = append(setup.Failed, "server "+s.Configured.Name+": "+s.Reason)
		}
	}
	if len(setup.Waiting)+len(setup.Refused)+len(setup.Ignored)+len(setup.Failed) == 0 {
		return nil
	}
	return &setup
}

// ErrTimeout is returned for an invalid --timeout: it is negative, or -p is missing.
var ErrTimeout = errors.New("--timeout needs -p, and a positive duration such as 90s or 10m")

// A TimeoutError means that a run took longer than its time limit, which is the value.
type TimeoutError time.Duration

func (e TimeoutError) Error() string {
	return fmt.Sprintf("stopped by --timeout after %s. To continue the session, run agent with -c", time.Duration(e))
}

// respond runs a prompt, or a slash command of the command line, to its end. A panic of the turn
// loop is returned as an error.
func respond(ctx context.Context, c *app.Conversation, prompt atcmd.Message) (outcome chat.Outcome, err error) {
	defer func() {
		if value := recover(); value != nil {
			outcome, err = chat.Outcome{Stop: chat.StopFailed}, c.LogPanic(value)
		}
	}()
	if prompt.FirstTypedByte() != '/' || !command.IsCommand(prompt[0].Text) {
		return c.Chat.Prompt(ctx, prompt)
	}
	if err := mayInit(c, prompt); err != nil {
		return chat.Outcome{Stop: chat.StopFailed}, err
	}
	session := &singleRun{Session: c.Chat}
	out, err := runCommand(ctx, c, session, prompt[0].Text)
	switch {
	case err != nil:
		return chat.Outcome{Stop: chat.StopFailed}, refusal(err)
	case session.retry:
		return c.Chat.Resend(ctx)
	case out.Submit != "":
		return c.Chat.Prompt(ctx, append(atcmd.TypedMessage(out.Submit), prompt[1:]...))
	}
	return chat.Outcome{Stop: chat.StopDone, Response: strings.Join(out.PlainLines(), "\n")}, nil
}

// respondOnce runs a prompt for a job that may be retried (--session-id). If the prompt is the user's latest
// message in the session and has an answer, it returns the recorded answer. If it has no complete answer,
// the session continues without adding the prompt again.
func respondOnce(ctx context.Context, c *app.Conversation, prompt atcmd.Message) (chat.Outcome, error) {
	last := -1
	for i, entry := range c.Recorded {
		if entry.IsMessage() {
			last = i
		}
	}
	if last < 0 || c.Recorded[last].OwnText() != recordedText(prompt) {
		return respond(ctx, c, prompt)
	}
	end := c.Recorded[len(c.Recorded)-1]
	if end.Speaker == history.AI && len(end.Calls()) == 0 && end.Metadata[history.MetaInterrupted] != true {
		return chat.Outcome{Stop: chat.StopDone, Response: end.Text()}, nil
	}
	return c.Chat.Resend(ctx)
}

// recordedText returns the typed text of a message in the form of the record.
func recordedText(message atcmd.Message) string {
	var parts []string
	for _, part := range message {
		if part.Source == "" && part.Image == "" {
			parts = append(parts, part.Text)
		}
	}
	return strings.Join(parts, "")
}

// refusal turns the error of a command into an InputError for wrong usage, unless the turn loop,
// the provider or an interrupt caused it.
func refusal(err error) error {
	_, defect := errors.AsType[*app.PanicError](err)
	_, ofProvider := errors.AsType[*llm.Error](err)
	if defect || ofProvider || errors.Is(err, context.Canceled) {
		return err
	}
	return usage(err)
}

// singleRun is the session of a program that ends with its command. If the command requests a turn, the
// program runs the turn after the command and waits for it.
type singleRun struct {
	slash.Session
	retry bool
}

// Retry implements slash.Session.
func (s *singleRun) Retry(context.Context) error {
	s.retry = true
	return nil
}

// runCommand runs a slash command while the turn loop serves its requests.
func runCommand(ctx context.Context, c *app.Conversation, session slash.Session, line string) (out command.Output, err error) {
	ctx, end := c.Serve(ctx, nil)
	defer func() {
		if defect := end(); defect != nil {
			out, err = command.Output{}, defect
		}
	}()
	return c.Commands(ctx, session, app.Screen{}).Run(ctx, line)
}

// mayInit refuses /init in a non-interactive run unless a rule allows it to write AGENTS.md.
func mayInit(c *app.Conversation, prompt atcmd.Message) error {
	if strings.TrimSpace(prompt.Text()) != "/init" || c.MayWrite("AGENTS.md") {
		return nil
	}
	return usage(errors.New("/init writes AGENTS.md, and there is no user to ask: add --allow 'write_file(AGENTS.md)'"))
}

// usage marks an error as wrong input.
func usage(err error) error { return app.InputError{Err: err} }
