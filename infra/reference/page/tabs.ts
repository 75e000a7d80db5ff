const storageName = 'language'

interface TabGroup {
  /** Panels of the group, by language. */
  readonly panels: ReadonlyMap<string, HTMLElement>
  readonly tabs: ReadonlyMap<string, HTMLButtonElement>
}

/** Makes tabs of all code that is in several languages. A choice counts for all of them, and for the next visit. */
export const createTabs = (): void => {
  const groups: TabGroup[] = []
  const choose = (language: string): void => {
    for (const group of groups) showLanguage(group, language)
    rememberLanguage(language)
  }
  for (const element of document.querySelectorAll<HTMLElement>('.tabs')) groups.push(createGroup(element, choose))
  for (const group of groups) showLanguage(group, recallLanguage() ?? 'curl')
}

const createGroup = (element: HTMLElement, choose: (language: string) => void): TabGroup => {
  const { subject = '' } = element.dataset
  const list = document.createElement('div')
  list.setAttribute('role', 'tablist')
  list.setAttribute('aria-label', `Language of the code for ${subject}`)
  const panels = new Map<string, HTMLElement>()
  const tabs = new Map<string, HTMLButtonElement>()
  for (const panel of element.querySelectorAll<HTMLElement>('[data-language]')) {
    const language = panel.dataset['language'] ?? ''
    const tab = createTab(language, panel, `${subject.replaceAll(' ', '-')}-${language}`)
    tab.addEventListener('click', () => choose(language))
    panels.set(language, panel)
    tabs.set(language, tab)
    list.append(tab)
  }
  list.addEventListener('keydown', (event) => moveFocus(event, [...tabs.values()]))
  element.prepend(list)
  return { panels, tabs }
}

const createTab = (language: string, panel: HTMLElement, id: string): HTMLButtonElement => {
  panel.id = `${id}-code`
  panel.setAttribute('role', 'tabpanel')
  panel.setAttribute('aria-labelledby', `${id}-tab`)

  const tab = document.createElement('button')
  tab.type = 'button'
  tab.id = `${id}-tab`
  tab.textContent = language
  tab.setAttribute('role', 'tab')
  tab.setAttribute('aria-controls', panel.id)
  return tab
}

/** Shows the panel of a language, or the first one if the group has none of it. */
const showLanguage = ({ panels, tabs }: TabGroup, wanted: string): void => {
  const [first = ''] = tabs.keys()
  const shown = tabs.has(wanted) ? wanted : first
  for (const [language, tab] of tabs) {
    const isShown = language === shown
    tab.setAttribute('aria-selected', String(isShown))
    tab.tabIndex = isShown ? 0 : -1
    panels.get(language)?.toggleAttribute('hidden', !isShown)
  }
}

/** Moves the focus by the keys of the tabs pattern of WAI-ARIA, and chooses the tab that gets it. */
const moveFocus = (event: KeyboardEvent, tabs: readonly HTMLButtonElement[]): void => {
  const index = tabs.findIndex(({ id }) => id === document.activeElement?.id)
  const nextIndexes: Readonly<Record<string, number>> = {
    ArrowRight: (index + 1) % tabs.length,
    ArrowLeft: (index - 1 + tabs.length) % tabs.length,
    Home: 0,
    End: tabs.length - 1,
  }
  const next = tabs[nextIndexes[event.key] ?? -1]
  if (next === undefined) return
  event.preventDefault()
  next.focus()
  next.click()
}

// A browser that blocks storage throws. The choice then lasts until the page is left.
const rememberLanguage = (language: string): void => {
  try {
    localStorage.setItem(storageName, language)
  } catch {}
}

const recallLanguage = (): string | null => {
  try {
    return localStorage.getItem(storageName)
  } catch {
    return null
  }
}
