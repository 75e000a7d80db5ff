/** Runs before anything is drawn, so that the page never changes its colours while it loads. */

const darkClass = 'dark-mode'
const storageKey = 'theme'

const prefersDark = matchMedia('(prefers-color-scheme: dark)')
const root = document.documentElement

/** A browser may keep nothing for this page: then a choice holds until the page is left. */
const storage = (): Storage | undefined => {
  try {
    return localStorage
  } catch {
    return undefined
  }
}

let chosen = storage()?.getItem(storageKey)

/** What the reader chose; otherwise the system's. */
const show = (): void => {
  const isDark = (chosen ?? (prefersDark.matches ? 'dark' : 'light')) === 'dark'
  root.classList.toggle(darkClass, isDark)
  document.getElementById('theme')?.setAttribute('aria-pressed', String(isDark))
}

show()
prefersDark.addEventListener('change', show)
document.addEventListener('DOMContentLoaded', () => {
  show()
  document.getElementById('theme')?.addEventListener('click', () => {
    chosen = root.classList.contains(darkClass) ? 'light' : 'dark'
    storage()?.setItem(storageKey, chosen)
    show()
  })
})
