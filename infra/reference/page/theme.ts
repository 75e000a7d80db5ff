/** Runs before anything is drawn, so that the page never changes its colours while it loads. */

const darkClass = 'dark-mode'
const storageKey = 'theme'

const prefersDark = matchMedia('(prefers-color-scheme: dark)')
const root = document.documentElement

/** What the reader chose; otherwise the system's. */
const show = (): void => {
  const isDark = (localStorage.getItem(storageKey) ?? (prefersDark.matches ? 'dark' : 'light')) === 'dark'
  root.classList.toggle(darkClass, isDark)
  document.getElementById('theme')?.setAttribute('aria-pressed', String(isDark))
}

show()
prefersDark.addEventListener('change', show)
document.addEventListener('DOMContentLoaded', () => {
  show()
  document.getElementById('theme')?.addEventListener('click', () => {
    localStorage.setItem(storageKey, root.classList.contains(darkClass) ? 'light' : 'dark')
    show()
  })
})
