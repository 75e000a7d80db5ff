const longestList = 10

/** A section or a row of the page that the search can find. */
interface Entry {
  readonly id: string
  /** The kind of place, such as `Error`. */
  readonly kind: string
  readonly title: string
  /** Title and text, in small letters. */
  readonly text: string
}

/** Starts the search of the page. Its index is the document itself: all elements with `data-find`. */
export const startSearch = (): void => {
  const field = document.querySelector<HTMLInputElement>('#search')
  const list = document.querySelector('#search-results')
  const status = document.querySelector('#search-status')
  if (field === null || list === null || status === null) return

  const entries = [...document.querySelectorAll<HTMLElement>('[data-find]')].map(readEntry)
  field.disabled = false

  const search = (): void => {
    const found = findEntries(entries, field.value)
    list.replaceChildren(...found.slice(0, longestList).map(createResult))
    status.textContent = field.value.trim() === '' ? '' : describeCount(found.length)
  }
  const clear = (): void => {
    field.value = ''
    search()
  }
  field.addEventListener('input', search)
  field.addEventListener('keydown', ({ key }) => {
    if (key === 'Enter') list.querySelector('a')?.click()
    if (key === 'Escape') clear()
  })
  // A result that is followed closes the list.
  list.addEventListener('click', clear)
}

const readEntry = (element: HTMLElement): Entry => {
  const title = readText(element.querySelector('h2, h3, th'))
  return {
    id: element.id,
    kind: element.dataset['find'] ?? '',
    title,
    text: readText(element).toLowerCase(),
  }
}

const readText = (element: Element | null): string => (element?.textContent ?? '').replace(/\s+/g, ' ').trim()

/** Finds the entries that have every word, those with the most words in their title first. */
const findEntries = (entries: readonly Entry[], query: string): readonly Entry[] => {
  const words = query.toLowerCase().split(/\s+/).filter(Boolean)
  if (words.length === 0) return []
  const found = entries.filter(({ text }) => words.every((word) => text.includes(word)))
  const countNamed = ({ title }: Entry): number => words.filter((word) => title.toLowerCase().includes(word)).length
  return found.toSorted((one, other) => countNamed(other) - countNamed(one))
}

const createResult = ({ id, kind, title }: Entry): HTMLLIElement => {
  const link = document.createElement('a')
  link.href = `#${id}`
  const small = document.createElement('small')
  small.textContent = kind
  link.append(title, ' ', small)
  const item = document.createElement('li')
  item.append(link)
  return item
}

const describeCount = (count: number): string => {
  if (count === 0) return 'Nothing found.'
  return count === 1 ? '1 result.' : `${count} results.`
}
