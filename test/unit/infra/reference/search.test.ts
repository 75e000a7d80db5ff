import type { Page } from 'playwright-core'
import { expect, inject } from 'vitest'
import { test } from './browser.ts'

/** Types a query into the search. @returns the first result */
const findFirst = async (page: Page, query: string): Promise<string> => {
  await page.getByLabel('Search this page').fill(query)
  return page.locator('#search-results a').first().innerText()
}

test('the search finds guides, operations, fields and errors without a request', async ({ page }) => {
  const urls: string[] = []
  page.on('request', (request) => urls.push(request.url()))

  expect(await findFirst(page, 'exact integers')).toContain('Keep integers exact')
  expect(await findFirst(page, 'add an animal')).toContain('POST')
  expect(await findFirst(page, 'categoryId')).toContain('categoryId')
  expect(await findFirst(page, 'cursor')).toContain('cursor')
  expect(await findFirst(page, 'api_key_banned')).toContain('api_key_banned')
  // The browser loads the icon after the page.
  expect(urls.filter((url) => !url.endsWith('/favicon.svg'))).toEqual([])
})

test('the search is used by keyboard alone', async ({ page }) => {
  await page.getByLabel('Search this page').focus()
  await page.keyboard.type('idempotency_key_reused')

  await page.keyboard.press('Enter')

  await expect.poll(() => new URL(page.url()).hash).toBe('#error-idempotency_key_reused')
  expect(await page.locator('#search-results a').count()).toBe(0)
})

test('the search says that it found nothing', async ({ page }) => {
  await page.getByLabel('Search this page').fill('zebra crossing')

  expect(await page.locator('#search-status').innerText()).toBe('Nothing found.')
})

test('a link to a response unfolds it', async ({ page }) => {
  const response = page.locator('#common-429')
  expect(await response.getAttribute('open')).toBeNull()

  await page.locator('#listPets').getByRole('link', { name: '429' }).click()

  await expect.poll(() => response.getAttribute('open')).toBe('')
})

test('the address of a response unfolds it when the page is opened', async ({ open }) => {
  const page = await open({ url: `${inject('reference').url}#createPet-422` })

  expect(await page.locator('#createPet-422').getAttribute('open')).toBe('')
})

test('the navigation marks the section at the top of the window', async ({ page }) => {
  await page.locator('nav').getByRole('link', { name: 'Retry' }).click()

  const current = page.locator('nav [aria-current="true"]')
  await expect.poll(() => current.allInnerTexts()).toEqual(['Retry'])
})
