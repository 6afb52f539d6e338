package receiver

import "strings"

// A message that is under way has in its ReplyTo the sender's name, and after "@" the place that
// it came from, if that is known.

// placed returns a sender's name with the place of this receiver.
func (r *Receiver) placed(replyTo string) string {
	if r.options.Place == "" {
		return replyTo
	}
	return replyTo + "@" + r.options.Place
}

// from reports whether what has this ReplyTo may have come from the place of this receiver.
func (r *Receiver) from(replyTo string) bool {
	_, place, known := strings.Cut(replyTo, "@")
	return r.options.Place == "" || !known || place == r.options.Place
}

// replyName returns the name of the sender alone.
func replyName(replyTo string) string {
	name, _, _ := strings.Cut(replyTo, "@")
	return name
}
