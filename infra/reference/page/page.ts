import { startPanel } from './panel.ts'

/** Field of the API key, the only place where the page keeps the key. */
const keyField = document.querySelector<HTMLInputElement>('#api-key')
if (keyField === null) throw new Error('The page lacks the field of the API key.')

const start = (): void => {
  keyField.disabled = false
  for (const button of document.querySelectorAll<HTMLButtonElement>('.use-key')) enableDemoKey(button)
  setText('.site-url', location.origin)
  // A browser that translates the page leaves code as it is.
  for (const code of document.querySelectorAll('code')) code.translate = false
  for (const block of document.querySelectorAll<HTMLElement>('.copyable')) addCopyButton(block)
  setTableRoles()
  followSections()
  for (const form of document.querySelectorAll<HTMLFormElement>('form[data-operation]')) {
    startPanel(form, () => keyField.value.trim())
  }
}

/** Enables a button that puts its demo key into the field and into the code of the page. */
const enableDemoKey = (button: HTMLButtonElement): void => {
  // The document gives each of these buttons both values.
  const { apiKey = '', plan = '' } = button.dataset
  button.disabled = false
  button.addEventListener('click', () => {
    const message = `This page uses the demo key of the plan ${plan}.`
    keyField.value = apiKey
    setText('.example-key', apiKey)
    setText('#key-in-use', message)
    announce(message)
  })
}

const setText = (selector: string, text: string): void => {
  for (const element of document.querySelectorAll(selector)) element.textContent = text
}

/** Lets screen readers say a message. */
const announce = (message: string): void => setText('#announcement', message)

/** Adds a button that copies the code of a block. Screen readers say the name of the code with the button. */
const addCopyButton = (block: HTMLElement): void => {
  const code = block.querySelector('pre')
  const { name = '' } = block.dataset
  const label = document.createElement('span')
  label.textContent = 'Copy'
  const unseenName = document.createElement('span')
  unseenName.className = 'unseen'
  unseenName.textContent = ` the ${name}`

  const button = document.createElement('button')
  button.type = 'button'
  button.append(label, unseenName)
  button.addEventListener('click', async () => {
    label.textContent = await copyText(code?.textContent ?? '')
    announce(`${label.textContent}: the ${name}`)
  })
  button.addEventListener('blur', () => {
    label.textContent = 'Copy'
  })
  block.append(button)
}

const copyText = async (text: string): Promise<'Copied' | 'Not allowed'> => {
  try {
    await navigator.clipboard.writeText(text)
    return 'Copied'
  } catch {
    return 'Not allowed'
  }
}

/** Roles of the elements of a table, by selectors. */
const tableRoles: Readonly<Record<string, string>> = {
  table: 'table',
  'thead, tbody': 'rowgroup',
  tr: 'row',
  'thead th': 'columnheader',
  'tbody th': 'rowheader',
  td: 'cell',
}

/**
 * Sets the roles of tables. On a phone their cells stand below each other, and some browsers then no longer tell screen
 * readers that they are cells.
 */
const setTableRoles = (): void => {
  for (const [selector, role] of Object.entries(tableRoles)) {
    for (const element of document.querySelectorAll(selector)) element.setAttribute('role', role)
  }
}

/** Marks the link of the navigation whose section is at the top of the window. */
const followSections = (): void => {
  const links = [...document.querySelectorAll<HTMLAnchorElement>('nav a')]
  const sections = links.flatMap(({ hash }) => document.getElementById(hash.slice(1)) ?? [])

  const markCurrent = (): void => {
    // The current section is the last one that begins in the upper third of the window, and at the end of the page the
    // last one of all. `scrollHeight` is rounded, so the end may be a pixel above it.
    const isAtEnd = innerHeight + scrollY >= document.documentElement.scrollHeight - 1
    const limit = isAtEnd ? Number.POSITIVE_INFINITY : innerHeight / 3
    const current = sections.findLast((section) => section.getBoundingClientRect().top < limit)
    for (const link of links) {
      if (current !== undefined && link.hash === `#${current.id}`) link.setAttribute('aria-current', 'true')
      else link.removeAttribute('aria-current')
    }
  }

  // The margin leaves the upper third of the window.
  const observer = new IntersectionObserver(markCurrent, { rootMargin: '0px 0px -66%' })
  for (const section of sections) observer.observe(section)
}

start()
