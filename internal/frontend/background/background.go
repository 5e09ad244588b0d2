// Package background runs a conversation without a terminal. Other terminals connect to its socket.
package background

import (
	"context"
	"errors"
	"sync"
	"time"

	"agent/internal/app"
	"agent/internal/atcmd"
	"agent/internal/chat"
	"agent/internal/command"
	"agent/internal/frontend/clients"
)

// Options describes a conversation in the background.
type Options struct {
	// Open creates the conversation, which sends its events to events.
	Open    func(ctx context.Context, events func(chat.Event)) (*app.Conversation, error)
	Now     func() time.Time
	Message atcmd.Message
	// Ready is called once other terminals can reach the session and its first message is recorded.
	Ready func(c *app.Conversation)
}

// Run runs the conversation until a client stops it or ctx ends. It begins with the message.
func Run(ctx context.Context, o Options) error {
	host := &clients.Host{}
	recorded := make(chan struct{})
	record := sync.OnceFunc(func() { close(recorded) })
	c, err := o.Open(ctx, func(e chat.Event) {
		host.AddEvent(e)
		switch e.(type) {
		case chat.UserMessage, chat.TurnEnded: // a turn that a hook blocks has no message
			record()
		}
	})
	if err != nil {
		return err
	}
	defer c.Close()
	ctx, stop := context.WithCancel(ctx)
	defer stop()
	if err := host.Open(ctx, c, o.Now, clients.Options{Steered: true, Detached: true, Stop: stop}); err != nil {
		return err
	}
	defer host.Close()
	if !host.IsServing() {
		return errors.New("can't run in the background: no terminal could attach to the session")
	}
	serving, end := c.ServeScreen(ctx, nil)
	defer func() { _ = end() }() // end the session after an error
	sent, err := begin(serving, c, o.Message)
	if err != nil {
		return err
	}
	if sent {
		select {
		case <-recorded:
		case <-serving.Done():
			return end()
		}
	}
	o.Ready(c)
	<-serving.Done()
	return end()
}

// begin sends the first message, or runs it if it is a slash command. It reports whether it sent a
// message.
func begin(ctx context.Context, c *app.Conversation, message atcmd.Message) (sent bool, err error) {
	if message.FirstTypedByte() == '/' && command.IsCommand(message[0].Text) {
		out, err := c.Commands(ctx, c.Chat, app.Screen{}).Run(ctx, message[0].Text)
		if err != nil || out.Submit == "" {
			return false, err
		}
		message = append(atcmd.TypedMessage(out.Submit), message[1:]...)
	}
	c.Chat.Send(message)
	return true, nil
}
