package main

import (
	"bufio"
	"bytes"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
)

// errAbsent reports a file that the snapshot lists but does not contain.
var errAbsent = errors.New("not in the snapshot")

// A snapshot reads the files of one commit of a repository from its git directory. It is not safe
// for concurrent use.
type snapshot struct {
	dir, commit string
	cat         *exec.Cmd
	ask         io.WriteCloser
	answers     *bufio.Reader
}

// openSnapshot finds the repository, owner/name, below the mirror. The caller closes the snapshot.
func openSnapshot(mirror, repository, commit string) (*snapshot, error) {
	dir := filepath.Join(mirror, strings.ReplaceAll(repository, "/", "+"), "repo")
	if below := filepath.Join(dir, ".git"); isDir(below) {
		dir = below
	}
	s := &snapshot{dir: dir, commit: commit}
	s.cat = s.git("cat-file", "--batch")
	var err error
	if s.ask, err = s.cat.StdinPipe(); err != nil {
		return nil, err
	}
	out, err := s.cat.StdoutPipe()
	if err != nil {
		return nil, err
	}
	s.answers = bufio.NewReader(out)
	if err := s.cat.Start(); err != nil {
		return nil, err
	}
	return s, nil
}

func isDir(name string) bool {
	info, err := os.Stat(name)
	return err == nil && info.IsDir()
}

func (s *snapshot) git(args ...string) *exec.Cmd {
	c := exec.Command("git", append([]string{"--git-dir", s.dir}, args...)...)
	c.Env = append(os.Environ(), "GIT_NO_LAZY_FETCH=1")
	return c
}

func (s *snapshot) close() error {
	s.ask.Close()
	return s.cat.Wait()
}

// files lists the paths with the suffix in the folder ("" for all).
func (s *snapshot) files(folder, suffix string) ([]string, error) {
	args := []string{"ls-tree", "-r", "-z", "--name-only", s.commit}
	if folder != "" {
		args = append(args, "--", folder+"/")
	}
	out, err := s.git(args...).Output()
	if err != nil {
		return nil, fmt.Errorf("list %s of %s at %s: %w", folder, s.dir, s.commit, err)
	}
	var paths []string
	for path := range strings.SplitSeq(string(out), "\x00") {
		if path != "" && strings.HasSuffix(path, suffix) {
			paths = append(paths, path)
		}
	}
	return paths, nil
}

// read returns the file at the path, which has no line break; errAbsent if the snapshot does not
// contain it.
func (s *snapshot) read(path string) ([]byte, error) {
	if _, err := fmt.Fprintf(s.ask, "%s:%s\n", s.commit, path); err != nil {
		return nil, err
	}
	head, err := s.answers.ReadString('\n')
	if err != nil {
		return nil, err
	}
	fields := strings.Fields(head[strings.LastIndex(head, ":")+1:])
	var size int
	if len(fields) != 3 || fields[1] != "blob" {
		return nil, fmt.Errorf("%s: %w", path, errAbsent)
	}
	if _, err := fmt.Sscan(fields[2], &size); err != nil {
		return nil, err
	}
	data := make([]byte, size+1)
	if _, err := io.ReadFull(s.answers, data); err != nil {
		return nil, err
	}
	return bytes.TrimPrefix(data[:size], []byte("\ufeff")), nil
}
