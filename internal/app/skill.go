package app

import (
	"fmt"

	"agent/internal/chat/window"
	"agent/internal/nearest"
	"agent/internal/settings"
	"agent/internal/setup"
	"agent/internal/setup/skills"
	"agent/internal/tools"
	"agent/internal/words"
)

// bytesPerToken is what a token of the catalogue takes at least. It is divided by and not
// counted with a vocabulary, which takes longer to load than a start may.
const bytesPerToken = 3

// offerSkills gives the model the tool for skills, if there is one that it may use.
func (c *Conversation) offerSkills() {
	budget := skills.Budget(window.SizeOf(c.windowSize()))
	if set := settings.SkillBudget.Of(c.settings); set > 0 {
		budget = set
	}
	catalogue, cut, whole := c.Brought().Skills.Catalogue(budget, func(text string) int { return len(text) / bytesPerToken })
	if catalogue == "" {
		return
	}
	if cut > 0 {
		c.Notices = append(c.Notices, fmt.Sprintf("The descriptions of %s are cut for the model; skills.budget %d shows them whole", words.Count(cut, "skill"), whole))
	}
	for _, s := range c.Brought().Skills.Skills {
		c.workspace.Look(s.Dir)
		c.env.Protected.Open = append(c.env.Protected.Open, realPath(s.Dir))
	}
	c.skillTool = []tools.Tool{tools.Skill(catalogue, c.activate)}
}

// windowSize is the window that is set, and the one that is known, 0 where it is not.
func (c *Conversation) windowSize() (set, known int) {
	known, _ = c.Connection.ContextLimit(settings.Model.Of(c.settings))
	return settings.ContextLimit.Of(c.settings), known
}

// activate is the text of a skill that the model asks for.
func (c *Conversation) activate(name, arguments string) (tools.Activated, error) {
	s := c.Brought().Skills.Named(name)
	switch {
	case s == nil:
		var names []string
		for _, s := range c.Brought().Skills.Skills {
			if !s.Shadowed && !s.Hidden {
				names = append(names, s.Name)
			}
		}
		return tools.Activated{}, fmt.Errorf("there is no skill %q%s", name, nearest.Question(name, names))
	case s.Hidden:
		return tools.Activated{}, fmt.Errorf("only the person may activate the skill %s; ask them to type /%s", s.Name, s.Name)
	}
	call := setup.Call{Entry: setup.Entry{Name: s.Name, Skill: s}, Arguments: arguments}
	c.lend(call.Entry)
	text, _, err := call.Text(func(string) (output, refused string, err error) {
		return "", "run it as a command of yours if it is needed", nil
	})
	return tools.Activated{Text: text, Key: call.Key()}, err
}
