package relay

import (
	"os"
	"os/exec"
)

// replaceBy runs another program with the streams of this one. Signals of the console reach both.
func replaceBy(path string, argv, env []string) error {
	c := exec.Command(path, argv[1:]...)
	c.Env, c.Stdin, c.Stdout, c.Stderr = env, os.Stdin, os.Stdout, os.Stderr
	return run(c)
}
