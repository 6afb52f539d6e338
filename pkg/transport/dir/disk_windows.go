package dir

// noFollow is for systems where any user can make a link; here it takes a privilege.
const noFollow = 0
