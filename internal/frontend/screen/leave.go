package screen

import (
	"context"
	"errors"
	"fmt"
	"sync/atomic"

	"agent/internal/app"
	"agent/internal/command"
	"agent/internal/frontend/clients"
	"agent/internal/tui/term"
)

// leaver makes a session continue without its terminal.
type leaver struct {
	host *clients.Host
	// left is set once the user has left the session.
	left atomic.Bool
}

func (l *leaver) command() command.Command {
	return command.Command{Name: "leave", Group: "Sessions", Help: "return to the shell; the session continues", Forms: []command.Form{{
		Run: func(context.Context, []string) (command.Output, error) {
			if !l.host.IsServing() {
				return command.Output{}, errors.New("can't leave: no terminal could attach to this session. Attaching needs a session log, and Linux or macOS")
			}
			l.left.Store(true)
			return command.Output{Quit: true}, nil
		},
	}}}
}

// wait returns the terminal to the shell and waits until the session is stopped. Without --bg, the session
// ends with the login session of the user.
func (l *leaver) wait(ctx context.Context, o Options, c *app.Conversation) {
	ctx, stop := context.WithCancel(ctx)
	defer stop()
	l.host.Detach(stop, stop)
	fmt.Fprintln(o.Text, "The session continues, even if the shell reports it as stopped. To return to it, run:\n  agent attach "+c.ResumeName())
	sayForecast(ctx, o.Text, c)
	if !term.ReturnToShell(o.Out) {
		fmt.Fprintln(o.Text, "You can close this terminal.")
	}
	<-ctx.Done()
}
