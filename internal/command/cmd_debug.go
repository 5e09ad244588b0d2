package command

import (
	"context"
	"fmt"
	"log/slog"
	"strings"
)

func (c *Commands) debugCommand() Command {
	return Command{
		Name: "debug", MaxArgs: 1,
		Usage: []Form{{"", "show where the log is"}, {"on", "log requests and decisions in detail"}, {"off", "log what matters"}},
		Help:  "show where the log is; log more or less",
		Run: func(_ context.Context, args []string) (Output, error) {
			log := c.deps.Log
			if len(args) == 1 {
				switch strings.ToLower(args[0]) {
				case "on":
					log.Level.Set(slog.LevelDebug)
				case "off":
					log.Level.Set(slog.LevelInfo)
				default:
					return Output{}, fmt.Errorf("%q is neither on nor off; type /debug on or /debug off", args[0])
				}
			}
			state := "off"
			if log.Level.Level() <= slog.LevelDebug {
				state = "on"
			}
			return Output{Lines: []string{"debug is " + state + "; the log is " + log.Path}}, nil
		},
		Complete: func([]string) []Completion {
			return []Completion{{Value: "on", Help: "log requests and decisions in detail"}, {Value: "off", Help: "log what matters"}}
		},
	}
}
