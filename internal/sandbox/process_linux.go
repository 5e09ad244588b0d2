package sandbox

import (
	"context"
	"errors"
	"io"
	"os"
	"os/exec"
	"sync"
	"time"
)

// process is a command that package exec did not start itself but looks after as if it
// had: its files, its end with a context, and waiting for it.
type process struct {
	cmd *exec.Cmd
	// files are the standard files of the process.
	files [3]*os.File
	// theirs are those of them that were opened for it, closed once it has them.
	theirs []*os.File
	// copying ends when all output was copied.
	copying sync.WaitGroup
	// given is our end of its input.
	given *os.File
	// detach stops the end with the context; ended is closed when there is nothing to end
	// any more.
	detach func() bool
	ended  chan struct{}
}

// newProcess opens the standard files of a command.
func newProcess(cmd *exec.Cmd) (*process, error) {
	p := &process{cmd: cmd}
	err := errors.Join(p.input(), p.output(1, cmd.Stdout))
	if cmd.Stderr != nil && cmd.Stderr == cmd.Stdout {
		p.files[2] = p.files[1]
	} else {
		err = errors.Join(err, p.output(2, cmd.Stderr))
	}
	if err != nil {
		p.started()
	}
	return p, err
}

func (p *process) input() error {
	switch in := p.cmd.Stdin.(type) {
	case nil:
		return p.null(0, os.O_RDONLY)
	case *os.File:
		p.files[0] = in
		return nil
	}
	theirs, ours, err := os.Pipe()
	if err != nil {
		return err
	}
	p.files[0], p.given = theirs, ours
	p.theirs = append(p.theirs, theirs)
	go func() { // nobody waits for it: what gives the input may never end
		_, _ = io.Copy(ours, p.cmd.Stdin)
		_ = ours.Close()
	}()
	return nil
}

func (p *process) output(number int, to io.Writer) error {
	switch out := to.(type) {
	case nil:
		return p.null(number, os.O_WRONLY)
	case *os.File:
		p.files[number] = out
		return nil
	}
	ours, theirs, err := os.Pipe()
	if err != nil {
		return err
	}
	p.files[number] = theirs
	p.theirs = append(p.theirs, theirs)
	p.copying.Go(func() {
		_, _ = io.Copy(to, ours)
		_ = ours.Close()
	})
	return nil
}

func (p *process) null(number, flag int) error {
	file, err := os.OpenFile(os.DevNull, flag, 0)
	p.files[number] = file
	p.theirs = append(p.theirs, file)
	return err
}

// started closes what only the process needs.
func (p *process) started() {
	for _, file := range p.theirs {
		_ = file.Close()
	}
}

// attach takes over a process that was started with the files, and ends it with ctx.
func (p *process) attach(ctx context.Context, pid int) error {
	var err error
	if p.cmd.Process, err = os.FindProcess(pid); err != nil {
		return err
	}
	cancel := p.cmd.Cancel
	if cancel == nil {
		cancel = p.cmd.Process.Kill
	}
	p.ended = make(chan struct{})
	p.detach = context.AfterFunc(ctx, func() {
		_ = cancel()
		if p.cmd.WaitDelay == 0 {
			return
		}
		select {
		case <-p.ended:
		case <-time.After(p.cmd.WaitDelay): // it may not listen, or not have begun to
			_ = p.cmd.Process.Kill() // and with it its namespace
		}
	})
	return nil
}

// wait waits for the end of the process and of its output. All that could write to it
// is in its namespace and so ends with it.
func (p *process) wait() error {
	state, err := p.cmd.Process.Wait()
	p.detach()
	close(p.ended)
	if p.given != nil {
		_ = p.given.Close()
	}
	p.copying.Wait()
	if err != nil {
		return err
	}
	p.cmd.ProcessState = state
	if !state.Success() {
		return &exec.ExitError{ProcessState: state}
	}
	return nil
}
