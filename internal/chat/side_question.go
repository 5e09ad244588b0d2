package chat

import (
	"context"
	"errors"
	"slices"
	"strings"

	"agent/internal/base/humanize"
	"agent/internal/history"
	"agent/internal/llm"
)

// asideWord introduces a side question to the model.
const asideWord = "[A side question about the conversation above. Answer in words and call no tool. Neither the question nor your answer is kept; the conversation continues as if nothing had been asked.]\n\n"

// The errors of a side question.
var (
	errAsideRuns  = errors.New("another side question is being answered; wait for it, or interrupt it")
	errAsideCalls = errors.New("the model answered with tool calls, and a side question can't run them; send it as a message")
)

// AskAside sends the model a question about the present context and returns the answer, even while a turn
// runs. Neither is stored, so that the next request has the same bytes as without the question.
// EndAside ends AskAside with ErrInterrupted.
func (c *Chat) AskAside(ctx context.Context, question string) (string, error) {
	provider, err := c.config.Endpoint.Provider()
	if err != nil {
		return "", err
	}
	ctx, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	request, err := try(ctx, c.inbox, func() (llm.Request, error) { return c.beginAside(question, cancel) })
	if err != nil {
		return "", err
	}
	defer c.inbox.post(func() {
		c.aside = nil
		c.emit(AsideChanged{})
	})
	a := asking{chat: c, endpoint: c.config.Endpoint, settings: c.config.Settings}
	answer, cut, err := a.stream(ctx, provider, request)
	a.account(answer, func() int { return c.window.Measure.Tokens() })
	text := strings.TrimSpace(answer.text.String())
	switch {
	case errors.Is(context.Cause(ctx), ErrInterrupted):
		return "", ErrInterrupted
	case err != nil:
		return "", err
	case text == "":
		return "", errAsideCalls
	case cut:
		text += "\n\n(cut at the model's output limit)"
	}
	return text, nil
}

// beginAside returns the request of a side question. It stores end, which cancels the request.
func (c *Chat) beginAside(question string, end context.CancelCauseFunc) (llm.Request, error) {
	if c.aside != nil {
		return llm.Request{}, errAsideRuns
	}
	if err := c.stats.checkCost(); err != nil {
		return llm.Request{}, err
	}
	entries, _ := c.config.History.Curated()
	request, err := requestOf(&c.config, c.window, withoutOpenCalls(entries))
	if err != nil {
		return llm.Request{}, err
	}
	request.History = withNudge(request.History, asideWord+question)
	request, _ = withoutVoid(&c.config, request)
	c.aside = end
	c.emit(AsideChanged{Running: true})
	return request, nil
}

// withoutOpenCalls returns a history without its last calls, if a running turn has not answered all of
// them.
func withoutOpenCalls(entries []*history.Content) []*history.Content {
	last := len(entries) - 1
	for last >= 0 && entries[last].Speaker != history.AI {
		last--
	}
	if last >= 0 && history.Validate(entries[last:]) != nil {
		return slices.Clip(entries[:last])
	}
	return entries
}

// EndAside cancels the side question that is being answered, if there is one.
func (c *Chat) EndAside() {
	c.inbox.post(func() {
		if c.aside != nil {
			c.aside(ErrInterrupted)
		}
	})
}

// stream sends the request of a side question and collects the answer. cut is set if the answer reached
// the output limit.
func (a *asking) stream(ctx context.Context, provider llm.Provider, request llm.Request) (answer collected, cut bool, err error) {
	for chunk, err := range provider.Stream(ctx, request) {
		switch chunk := chunk.(type) {
		case llm.Finish:
			cut = chunk.Reason == finishLength
			continue
		case llm.RetryNotice:
			a.runOnOwner(func(c *Chat) {
				c.emit.notice("Side question failed (attempt %d follows in %s): %s", chunk.Attempt, humanize.Elapsed(chunk.Delay), llm.PrefixPlace(chunk.Where, chunk.Reason))
			})
		}
		if err == nil {
			err = answer.take(chunk)
		}
		if err != nil {
			return answer, false, err
		}
	}
	return answer, cut, nil
}
