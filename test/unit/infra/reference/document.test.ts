import { expect, it } from 'vitest'
import { readProvided } from '../../../fixtures/machine/provided.ts'
import { findSection, readPage, readText, splitSections } from '../../../fixtures/reference/page-text.ts'

const page = await readPage()

it('each link in the page leads to an existing target', async () => {
  const links = [...page.matchAll(/<a [^>]*href="([^"]*)"/g)].map(([, link = '']) => link)
  const ids = [...page.matchAll(/ id="([^"]*)"/g)].map(([, id]) => `#${id}`)

  // No id stands twice.
  expect(ids).toHaveLength(new Set(ids).size)
  expect(ids).toEqual(expect.arrayContaining(links.filter((link) => link.startsWith('#'))))
  const files = new Set(links.filter((link) => !link.startsWith('#')))
  // The contract and two packages.
  expect(files.size).toBe(3)
  for (const file of files) {
    const response = await fetch(new URL(file, readProvided('reference').url), { method: 'HEAD' })
    expect(response.status, file).toBe(200)
  }
})

it('each heading of a section links to its section', () => {
  const sections = splitSections(page).slice(1)
  // The guide alone has 14 sections, so the loop runs on all of the page.
  expect(sections.length).toBeGreaterThan(15)
  for (const section of sections) {
    expect(section).toMatch(/^[^>]*\bid="([^"]+)"[^>]*>\s*<(h[23])[^>]*><a href="#\1">/)
  }
})

it('the page says which operation is deprecated and which is reserved', () => {
  expect(readText(findSection(page, 'follow-versions'))).toContain('GET /pets/{petId}, until 5 December 2030')
  expect(findSection(page, 'getPet')).toContain('<p class="badge">Deprecated</p>')
  expect(readText(findSection(page, 'listStoreOrders'))).toMatch(
    /Reserved\..*This panel is off, because the operation is reserved\./s,
  )
})
