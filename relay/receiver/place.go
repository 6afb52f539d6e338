package receiver

import "strings"

// While a message is in flight, its ReplyTo is the sender's name, followed by "@" and the place of the
// message, if known.

// placed returns a sender's name with the place of this receiver appended.
func (r *Receiver) placed(replyTo string) string {
	if r.options.Place == "" {
		return replyTo
	}
	return replyTo + "@" + r.options.Place
}

// from reports whether a message with a ReplyTo may have come from the place of this receiver.
func (r *Receiver) from(replyTo string) bool {
	_, place, known := strings.Cut(replyTo, "@")
	return r.options.Place == "" || !known || place == r.options.Place
}

// replyName returns only the name of the sender.
func replyName(replyTo string) string {
	name, _, _ := strings.Cut(replyTo, "@")
	return name
}
