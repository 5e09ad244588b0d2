package main

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"agent/internal/attach"
	"agent/internal/base/rawjson"
	"agent/internal/board"
	"agent/internal/chat"
	"agent/internal/frontend/cli"
	"agent/internal/frontend/screen"
	"agent/internal/session"
	"agent/internal/settings"
	"agent/internal/streamjson"
	"agent/internal/tui"

	"github.com/spf13/cobra"
)

func newBoard(w world) *cobra.Command {
	var asJSON bool
	var o sessionOptions
	cmd := &cobra.Command{
		Use:   "board",
		Short: "Show running sessions, waiting ones first",
		Long: `Shows a row for each running session. Enter attaches to a session; y, n and a answer
the question that is shown; m writes a message; s stops a session. With --json it prints
a line for each session and ends.`,
		Args: cli.ExactArgs(0, "no arguments"),
		RunE: func(cmd *cobra.Command, _ []string) error {
			if !asJSON {
				return showBoard(cmd.Context(), w, o)
			}
			b, err := newSessionBoard(w)
			if err != nil {
				return err
			}
			defer b.Close()
			b.Find()
			b.FindLocked()
			for _, row := range b.Rows() {
				if err := rawjson.Write(w.out, row.SessionState); err != nil {
					return err
				}
			}
			return nil
		},
	}
	cmd.Flags().BoolVar(&asJSON, "json", false, "print a line of JSON for each session")
	cmd.Flags().BoolVar(&o.screenReader, "screen-reader", false, "print plain lines for screen readers")
	return cmd
}

func newSessionBoard(w world) (*board.Board, error) {
	f, err := w.process.Folders()
	if err != nil {
		return nil, err
	}
	return board.New(board.Sources{Sockets: w.process.SocketFolders(f), Sessions: f.Sessions(), WaitsSince: f.WaitingSince}), nil
}

func newAttach(w world) *cobra.Command {
	var o sessionOptions
	cmd := &cobra.Command{
		Use:   "attach [NAME]",
		Short: "Show a running session in this terminal too",
		Long: `Shows the screen of a session that another process runs: its conversation, its questions
and its prompt. If several terminals answer a question, the first answer counts. Ctrl+D
leaves; the session continues. NAME is a session ID, the end of an ID, or words of the title.
Without NAME, it shows the only running session.`,
		Args: cobra.MaximumNArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			return attachTo(cmd.Context(), w, o, strings.Join(args, " "))
		},
		ValidArgsFunction: completeSessions(w),
	}
	cmd.Flags().BoolVar(&o.screenReader, "screen-reader", false, "print plain lines for screen readers")
	return cmd
}

func attachTo(ctx context.Context, w world, o sessionOptions, name string) error {
	if !attach.Supported {
		return usage(errors.New("can't attach: this system can't verify who connects to a socket. Run: agent -r NAME"))
	}
	b, err := newSessionBoard(w)
	if err != nil {
		return err
	}
	defer b.Close()
	b.Find()
	row, err := named(b.Rows(), name)
	if err != nil {
		return usage(err)
	}
	return attachToRow(ctx, w, o, row, false)
}

// attachToRow shows the session of a row in this terminal. fromBoard is set if the board is shown again
// afterwards.
func attachToRow(ctx context.Context, w world, o sessionOptions, row board.Row, fromBoard bool) error {
	if _, err := w.startLog(false); err != nil {
		return err
	}
	s, err := w.process.Settings(o.sources())
	if err != nil {
		return err
	}
	err = screen.Attach(ctx, screen.AttachOptions{
		Process: w.process, Session: row.SessionState, Socket: row.Socket, Settings: s, In: w.stdin, Out: w.stdout, NotifySignals: w.hear, Plain: o.screenReader, FromBoard: fromBoard,
	})
	switch {
	case errors.Is(err, screen.ErrSessionEnded):
		return w.tell("The session has ended. Run: agent -r " + row.ID)
	case errors.Is(err, tui.ErrTerminated):
		return statusError(exitInterrupted)
	}
	return err
}

// named returns the running session with a name, by the rules of session.FindByName. An empty name means the
// only running session.
func named(rows []board.Row, name string) (board.Row, error) {
	rows = slices.DeleteFunc(rows, func(row board.Row) bool { return row.Socket == "" })
	infos := make([]session.Info, len(rows))
	for i, row := range rows {
		infos[i] = session.Info{ID: row.ID, Title: row.Title, Workspace: row.Folder}
	}
	switch {
	case len(rows) == 0:
		return board.Row{}, errors.New("can't attach: no session is running. To start one, run: agent")
	case name == "" && len(rows) > 1:
		return board.Row{}, fmt.Errorf("can't attach: %d sessions are running. To choose one, run: agent board", len(rows))
	case name == "":
		return rows[0], nil
	}
	info, err := session.FindByName(infos, "", name)
	if err != nil {
		return board.Row{}, err
	}
	return rows[slices.IndexFunc(rows, func(row board.Row) bool { return row.ID == info.ID })], nil
}

// showBoard shows the board. It shows it again each time the user leaves a session that was opened from it.
func showBoard(ctx context.Context, w world, o sessionOptions) error {
	s, err := w.process.Settings(o.sources())
	if err != nil {
		return err
	}
	for {
		b, err := newSessionBoard(w)
		if err != nil {
			return err
		}
		id, err := tui.ShowBoard(ctx, tui.Options{
			In: w.stdin, Out: w.stdout, Environ: w.process.Environ, Plain: o.screenReader, Palettes: w.process.Palettes(), NotifySignals: w.hear, Now: w.process.Now,
			Settings: func() tui.Settings { return tui.Settings{Theme: settings.Theme.Value(s)} },
		}, newBoardDriver(ctx, b))
		rows := b.Rows()
		b.Close()
		i := slices.IndexFunc(rows, func(row board.Row) bool { return row.ID == id && row.Socket != "" })
		switch {
		case errors.Is(err, tui.ErrNoTerminal):
			return usage(errors.New("can't show the board: it needs a terminal. To print the sessions, run: agent board --json"))
		case errors.Is(err, tui.ErrTerminated):
			return statusError(exitInterrupted)
		case err != nil || id == "":
			return err
		case i < 0:
			return w.tell("Can't attach: the session can't be reached. Run: agent sessions list --all")
		}
		if err := attachToRow(ctx, w, o, rows[i], true); err != nil {
			return err
		}
	}
}

// boardDriver adapts a Board to the screen.
type boardDriver struct{ sessions *board.Board }

// These are the intervals at which the board looks for new sessions, by their sockets and by their locks.
const (
	findTime   = time.Second
	lockedTime = 30 * time.Second
)

// newBoardDriver returns the driver of a screen, which looks for new sessions until ctx ends or the
// Board is closed.
func newBoardDriver(ctx context.Context, b *board.Board) boardDriver {
	b.Find()
	go func() {
		b.FindLocked()
		looked := time.Now()
		for ctx.Err() == nil && !b.Closed() {
			time.Sleep(findTime)
			b.Find()
			if time.Since(looked) > lockedTime {
				b.FindLocked()
				looked = time.Now()
			}
		}
	}()
	return boardDriver{b}
}

// Rows implements tui.BoardDriver.
func (d boardDriver) Rows() (rows []tui.BoardRow) {
	for _, row := range d.sessions.Rows() {
		rows = append(rows, tui.BoardRow{
			ID: row.ID, Title: row.Title, Folder: row.Folder, Branch: row.Branch, Model: row.Model, State: row.SessionState.State, Kind: row.Kind,
			Since: row.Since, Cost: row.CostUSD, Tokens: row.Tokens, Limit: row.Limit, Questions: row.Questions,
		})
	}
	return rows
}

// Answer implements tui.BoardDriver.
func (d boardDriver) Answer(id string, question int, decision chat.Decision) error {
	return d.sessions.Send(id, streamjson.AnswerLine(question, decision))
}

// Send implements tui.BoardDriver.
func (d boardDriver) Send(id, text string) error {
	return d.sessions.Send(id, streamjson.ClientInput{Input: streamjson.Input{Type: "user", Text: text}})
}

// Stop implements tui.BoardDriver.
func (d boardDriver) Stop(id string) error {
	return d.sessions.Send(id, streamjson.ClientInput{Input: streamjson.Input{Type: "stop"}})
}

// Changes implements tui.BoardDriver.
func (d boardDriver) Changes() <-chan struct{} { return d.sessions.Changes() }

// TakeError implements tui.BoardDriver.
func (d boardDriver) TakeError() string { return d.sessions.TakeError() }
