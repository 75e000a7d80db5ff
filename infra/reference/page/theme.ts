/** Runs before the first paint, so that the page does not change its colours while it loads. */

const darkClass = 'dark-mode'
const storageKey = 'theme'

const prefersDark = matchMedia('(prefers-color-scheme: dark)')
const root = document.documentElement

/** A browser may refuse storage to this page: then a choice lasts until the page is closed. */
const storage = (): Storage | undefined => {
  try {
    return localStorage
  } catch {
    return undefined
  }
}

let chosen = storage()?.getItem(storageKey)

/** The reader's choice, or that of the system. */
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

// The scrolling library in Swagger UI takes over links within a page, and stops under the header, unless this is set.
Object.assign(window, { noZensmooth: true })
