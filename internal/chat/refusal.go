package chat

import (
	"cmp"
	"errors"
	"net/http"
	"slices"

	"agent/internal/atcmd"
	"agent/internal/base/humanize"
	"agent/internal/chat/window"
	"agent/internal/history"
	"agent/internal/llm"
)

// A sentMessage is a message in the history that the model has not answered yet.
type sentMessage struct {
	message atcmd.Message
	entry   *history.Content
	// earlier is set if the turn of the message ended without an answer for a reason other than its
	// content: an interrupt, or an unreachable provider. spared counts the refusals since then.
	earlier bool
	spared  int
}

// refusals changes a conversation that the provider refused, so that it can continue.
type refusals struct {
	emit    emitter
	history *history.Service
	window  *window.Window
	// sent holds the messages that the model has not answered yet.
	sent []sentMessage
}

// earlierTurn marks the unanswered messages as sent in an earlier turn.
func (r *refusals) earlierTurn() {
	for i := range r.sent {
		r.sent[i].earlier = true
	}
}

// isSpared reports whether an entry is a message of an earlier turn that no refusal has spared yet. If
// the next request is refused too, takeBack also removes the message.
func (r *refusals) isSpared(entry *history.Content) bool {
	for _, s := range r.sent {
		if s.is(entry) {
			return s.earlier && s.spared == 0
		}
	}
	return false
}

// is reports whether an entry contains the message. It compares the first block, which stays the same
// when a file of the message is omitted (D-47).
func (s sentMessage) is(entry *history.Content) bool {
	return len(s.entry.Blocks) > 0 && len(entry.Blocks) > 0 && s.entry.Blocks[0] == entry.Blocks[0]
}

// recovers changes a conversation that the provider refused, so that it can continue (D-50). It reports
// whether the turn continues. Otherwise the error ends the turn. The newest part is assumed to be the
// cause. If it is a message of the user, the message returns to the prompt and the turn ends. Tool
// results and older images are omitted from all later requests.
func (r *refusals) recovers(failure error) (again bool, err error) {
	var refusal *llm.Error
	if !errors.As(failure, &refusal) {
		return false, failure
	}
	switch {
	case refusal.Kind == llm.ContextOverflow:
		r.window.RecordRefusal(refusal.ContextLimit, refusal.PromptTokens)
		return true, failure
	case refusal.Kind == llm.NoImages && !window.HasNewImages(r.history):
		n, err := window.DropImages(r.history)
		if err != nil || n > 0 {
			r.emit.notice("The model can't read images: %s omitted from later requests", humanize.Count(n, "image"))
			return err == nil, errors.Join(failure, err)
		}
	case refusal.IsRequestError():
	case refusal.Status == http.StatusForbidden && window.HasReply(r.history):
		// The API key was accepted before, so the refusal is about the content.
		return false, r.takeBack(failure)
	default:
		return false, failure
	}
	if taken := r.takeBack(failure); taken != failure {
		return false, taken
	}
	n, err := window.WithholdResults(r.history)
	if n > 0 {
		r.emit.notice("The provider refused the latest tool results, so they are omitted: %s", refusal.Message)
	}
	return n > 0 && err == nil, errors.Join(failure, err)
}

// takenBackError is a refusal after which the message returned to the prompt.
type takenBackError struct{ error }

func (e takenBackError) Error() string {
	return e.error.Error() + ". The message was removed; you can continue without it"
}

func (e takenBackError) Unwrap() error { return e.error }

// takeBack returns the messages since the model's last answer to the user. It returns the error that
// ends the turn: failure itself if there were no such messages. It also omits tool results that the
// model has not seen. The cause may be either, and a conversation with the refused part would be
// refused again.
func (r *refusals) takeBack(failure error) error {
	entries, err := window.RemoveUnanswered(r.history, r.isSpared)
	if len(entries) == 0 {
		return cmp.Or(err, failure)
	}
	var back atcmd.Message
	for _, entry := range entries {
		message := messageOf(r.sent, entry)
		if len(back) > 0 && len(message) > 0 {
			back = append(back, atcmd.Part{Text: "\n\n"})
		}
		back = append(back, message...)
	}
	r.sent = slices.DeleteFunc(r.sent, func(s sentMessage) bool { return slices.ContainsFunc(entries, s.is) })
	for i := range r.sent {
		r.sent[i].spared++
	}
	r.emit(MessageReturned{Message: back})
	if n, withheld := window.WithholdResults(r.history); n > 0 {
		r.emit.notice("the tool results before the message were also omitted")
		err = cmp.Or(err, withheld)
	}
	return errors.Join(takenBackError{failure}, err)
}

// messageOf returns the message from which an entry was made. If an earlier process sent it, messageOf
// returns the text of the entry.
func messageOf(unanswered []sentMessage, entry *history.Content) atcmd.Message {
	for _, s := range unanswered {
		if s.is(entry) {
			return s.message
		}
	}
	if said := entry.OwnText(); said != "" {
		return atcmd.TypedMessage(said)
	}
	return nil
}
