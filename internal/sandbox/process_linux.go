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

// process is a command that was not started by package exec. It does the remaining work of that
// package: it connects the standard files, kills the process when a context ends, and waits for the
// process.
type process struct {
	cmd *exec.Cmd
	// files are the standard files of the process.
	files [3]*os.File
	// childFiles lists the files that were opened only for the process. They are closed after it
	// has started.
	childFiles []*os.File
	// copying waits until all output has been copied.
	copying sync.WaitGroup
	// stdin is the writing end of the pipe to the standard input, if there is one.
	stdin *os.File
	// detach stops the link between the context and the process. ended is closed when the process
	// has ended.
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
	p.files[0], p.stdin = theirs, ours
	p.childFiles = append(p.childFiles, theirs)
	go func() { // not waited for, because the reader may never end
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
	p.childFiles = append(p.childFiles, theirs)
	p.copying.Go(func() {
		_, _ = io.Copy(to, ours)
		_ = ours.Close()
	})
	return nil
}

func (p *process) null(number, flag int) error {
	file, err := os.OpenFile(os.DevNull, flag, 0)
	p.files[number] = file
	p.childFiles = append(p.childFiles, file)
	return err
}

// started closes the files that only the process uses.
func (p *process) started() {
	for _, file := range p.childFiles {
		_ = file.Close()
	}
}

// attach manages a started process that has the files. It kills the process when ctx is done.
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
		case <-time.After(p.cmd.WaitDelay): // the process ignores the signal, or does not handle it yet
			_ = p.cmd.Process.Kill() // this also ends its process namespace
		}
	})
	return nil
}

// wait waits until the process has ended and its output is copied. Every process that could write
// to the output is in the same process namespace and ends with it.
func (p *process) wait() error {
	state, err := p.cmd.Process.Wait()
	p.detach()
	close(p.ended)
	if p.stdin != nil {
		_ = p.stdin.Close()
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
