/** Marks the link of the navigation whose section is at the top of the window. */
export const followSections = (): void => {
  const links = [...document.querySelectorAll<HTMLAnchorElement>('nav a')]
  const sections = links.flatMap(({ hash }) => document.getElementById(hash.slice(1)) ?? [])

  const markCurrent = (): void => {
    // The current section is the last one that begins in the upper third of the window, and at the end of the page the
    // last one of all.
    const isAtEnd = innerHeight + scrollY >= document.documentElement.scrollHeight - 1
    const limit = isAtEnd ? Number.POSITIVE_INFINITY : innerHeight / 3
    const current = sections.findLast((section) => section.getBoundingClientRect().top < limit)
    for (const link of links) {
      if (current !== undefined && link.hash === `#${current.id}`) link.setAttribute('aria-current', 'true')
      else link.removeAttribute('aria-current')
    }
  }

  const observer = new IntersectionObserver(markCurrent, { rootMargin: '0px 0px -66%' })
  for (const section of sections) observer.observe(section)
}
