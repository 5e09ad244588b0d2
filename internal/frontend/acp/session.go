package acp

import (
	"context"
	"errors"
	"strings"
	"sync"

	"agent/internal/app"
	"agent/internal/atcmd"
	"agent/internal/chat"
	"agent/internal/command"
	"agent/internal/gate"
	"agent/internal/provider"
)

// session is one conversation of the editor. One goroutine handles its requests in order. Its events are
// reported on the goroutine of the conversation.
type session struct {
	server *Server
	id     string
	talk   *app.Conversation
	// commands holds the slash commands of the conversation.
	commands *command.Commands
	ctx      context.Context
	end      context.CancelFunc
	inbox    chan func()
	ended    chan struct{}
	show     *shown
	files    *buffers

	mu sync.Mutex
	// prompts holds the requests that wait for the end of their turn, the oldest first.
	prompts []message
	// begun is the number of prompts, from the front, that are part of the running turn.
	begun int
	// canceling is set if a cancel has arrived for a prompt whose turn has not begun yet. That turn then
	// ends immediately.
	canceling bool
	// command cancels the running slash command. It is nil if none is running.
	command context.CancelFunc
	asking  asking
	// known holds the options that were last sent to the editor.
	known []option
	// telling is locked while changed options are determined and sent.
	telling sync.Mutex
}

// inboxSize limits the requests that wait to be handled. No ordinary editor sends that many.
const inboxSize = 1024

// openSession creates a session with its conversation. run and work serve it.
func openSession(ctx context.Context, server *Server, folder, id, servers string) (s *session, err error) {
	s = &session{server: server, inbox: make(chan func(), inboxSize), ended: make(chan struct{})}
	s.show, s.files = &shown{session: s, calls: map[int]*callShown{}, asking: map[int]func(){}}, &buffers{session: s}
	s.ctx, s.end = context.WithCancel(ctx)
	s.talk, err = server.agent.Make(s.ctx, folder, id, app.Options{
		Events: s.event, Connect: app.FindEndpoint, Gates: []gate.Gate{s.files.gate()}, EditorServers: servers,
	})
	if err != nil {
		s.end()
		return nil, err
	}
	s.id, s.commands = s.talk.SessionID(), s.talk.Commands(s.ctx, s.talk.Chat, app.Screen{})
	return s, nil
}

// welcome answers the request that opened the session and starts the session. After a load it first shows
// the earlier conversation.
func (s *session) welcome(m message, recorded bool) {
	result := map[string]any{"configOptions": s.options(), "modes": s.modes()}
	if !recorded {
		result["sessionId"] = s.id
	}
	if m.Method == "session/load" {
		s.show.replay(s.talk.Recorded)
	}
	s.server.answer(m)(result, nil)
	s.show.send(update{"sessionUpdate": "available_commands_update", "availableCommands": s.listed()})
	for _, line := range s.talk.Notices {
		s.show.notice("info", line)
	}
	s.server.running.Go(s.run)
	s.server.running.Go(s.work)
}

// run serves the conversation. After its end it answers all waiting requests.
func (s *session) run() {
	failure := s.talk.Run(s.ctx)
	s.end()
	s.server.forget(s)
	s.show.close()
	s.mu.Lock()
	waiting := s.prompts
	s.prompts = nil
	s.mu.Unlock()
	for _, m := range waiting {
		s.answerPrompt(m, "cancelled", failure)
	}
	s.talk.Close()
	close(s.ended)
}

// close ends the session and waits for its goroutines.
func (s *session) close() {
	s.talk.Chat.Interrupt()
	s.end()
	<-s.ended
}

// post adds work to the queue of the session. The work is done in order.
func (s *session) post(work func()) {
	select {
	case s.inbox <- work:
	case <-s.ctx.Done():
	}
}

func (s *session) work() {
	for {
		select {
		case <-s.ctx.Done():
			return
		case work := <-s.inbox:
			work()
		}
	}
}

// aboutSession maps the requests about an open session to their handlers.
var aboutSession = map[string]func(s *session, m message, p sessionParams){
	"session/prompt":            (*session).prompt,
	"session/cancel":            func(s *session, _ message, _ sessionParams) { s.cancel() },
	"session/set_mode":          (*session).setMode,
	"session/set_config_option": (*session).set,
	"session/close": func(s *session, m message, _ sessionParams) {
		s.server.forget(s)
		s.server.beside(context.WithoutCancel(s.ctx), m, func() {
			s.close()
			s.server.answer(m)(nil, nil)
		})
	},
}

// prompt sends a message to the model, or runs a slash command.
func (s *session) prompt(m message, p sessionParams) {
	message, err := messageOf(p.Prompt, s.talk.Root(), s.talk.TempDir)
	if err != nil {
		s.server.answer(m)(nil, failf(codeParams, "%v", err))
		return
	}
	if message.FirstTypedByte() == '/' && s.commands.IsBuiltIn(p.Prompt[0].Text) {
		s.runCommand(m, p.Prompt[0].Text)
		return
	}
	message = append(message, s.files.ofLinks(p.Prompt)...)
	s.mu.Lock()
	s.prompts = append(s.prompts, m)
	s.mu.Unlock()
	s.sendAgreed(message)
}

// runCommand runs a slash command in a separate goroutine, so that it can be canceled.
func (s *session) runCommand(m message, line string) {
	ctx, cancel := context.WithCancel(s.ctx)
	s.mu.Lock()
	s.command = cancel
	s.mu.Unlock()
	s.server.running.Go(func() {
		defer s.server.answerPanic(m)
		defer cancel()
		out, err := s.commands.Run(ctx, strings.TrimSpace(line))
		switch {
		case ctx.Err() != nil:
			s.answerPrompt(m, "cancelled", nil)
		case err != nil:
			s.show.say(err.Error())
			s.answerPrompt(m, "end_turn", nil)
		case out.Submit != "":
			s.mu.Lock()
			s.prompts = append(s.prompts, m)
			s.mu.Unlock()
			s.talk.Chat.Send(atcmd.TypedMessage(out.Submit))
		default:
			s.show.say(strings.Join(out.PlainLines(), "\n"))
			s.optionsChanged()
			s.answerPrompt(m, "end_turn", nil)
		}
	})
}

// cancel interrupts the running turn, or the turn of a prompt that was read before the cancel.
// It withdraws waiting prompts first, so that none of them begins a turn.
func (s *session) cancel() {
	s.mu.Lock()
	if s.command != nil {
		s.command()
	}
	decline, taken := s.asking.decline, 0
	if decline != nil { // the first waiting prompt begins a turn, which is interrupted
		taken = len(s.asking.held) - 1
		s.asking.held = s.asking.held[:1]
		defer decline()
	}
	s.mu.Unlock()
	for {
		if _, more := s.talk.Chat.Unqueue(s.ctx); !more {
			break
		}
		taken++
	}
	s.mu.Lock()
	kept := max(s.begun, len(s.prompts)-taken)
	waiting := s.prompts[kept:]
	s.prompts = s.prompts[:kept:kept]
	s.canceling = kept > 0
	s.mu.Unlock()
	for _, m := range waiting {
		s.answerPrompt(m, "cancelled", nil)
	}
	s.talk.Chat.Interrupt()
}

// event handles an event of the conversation, on the conversation's goroutine.
func (s *session) event(e chat.Event) {
	switch e := e.(type) {
	case chat.TurnStarted:
		s.mu.Lock()
		canceling := s.canceling
		s.mu.Unlock()
		if canceling {
			s.talk.Chat.Interrupt()
		}
	case chat.UserMessage, chat.MessageReturned:
		s.mu.Lock()
		s.begun = min(s.begun+1, len(s.prompts))
		s.mu.Unlock()
	case chat.StatusChanged:
		s.mu.Lock()
		welcomed := s.known != nil
		s.mu.Unlock()
		if welcomed {
			s.optionsChanged()
		}
	case chat.TurnEnded:
		s.show.event(e)
		s.turnEnded(e)
		return
	}
	s.show.event(e)
}

// turnEnded answers the prompts that were part of the turn.
func (s *session) turnEnded(e chat.TurnEnded) {
	s.mu.Lock()
	n := max(s.begun, min(1, len(s.prompts)))
	ended, canceled := s.prompts[:n:n], s.canceling
	s.prompts, s.begun, s.canceling = s.prompts[n:], 0, false
	s.mu.Unlock()
	for _, m := range ended {
		reason, err := stopReason(e, canceled)
		s.answerPrompt(m, reason, err)
	}
}

// answerPrompt answers a prompt with the reason for the end of its turn, or with a failure.
func (s *session) answerPrompt(m message, reason string, failure error) {
	if failure != nil {
		s.server.answer(m)(nil, failure)
		return
	}
	s.server.answer(m)(map[string]any{"stopReason": reason}, nil)
}

func stopReason(e chat.TurnEnded, canceled bool) (string, error) {
	switch {
	case canceled || e.Outcome.Stop == chat.StopInterrupted || errors.Is(e.Err, context.Canceled):
		return "cancelled", nil
	case e.Outcome.Stop == chat.StopMaxTurns || e.Outcome.Stop == chat.StopMaxCost:
		return "max_turn_requests", nil
	case e.Err != nil:
		if provider.WantsLogin(e.Err) {
			return "", failf(codeSignIn, "%v", e.Err)
		}
		return "", e.Err
	case e.Outcome.Cut == "length":
		return "max_tokens", nil
	case e.Outcome.Cut != "":
		return "refusal", nil
	}
	return "end_turn", nil
}
