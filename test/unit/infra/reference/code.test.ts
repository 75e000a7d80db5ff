import type { Page } from 'playwright-core'
import { expect, inject } from 'vitest'
import { chooseDemoKey, test } from './browser.ts'
import { hasCurl, hasPython, python, runCurl, runProgram } from './clients/programs.ts'

const testWithCurl = hasCurl() ? test : test.skip
const testWithPython = hasPython() ? test : test.skip

/** Reads the code of an operation in a language, also if another language is shown. */
const readCode = async (page: Page, operationId: string, language: string): Promise<string> =>
  (await page.locator(`#${operationId} [data-language="${language}"] pre`).textContent()) ?? ''

testWithCurl('the curl code of an operation succeeds unchanged', async ({ page }) => {
  expect(await runCurl(`${await readCode(page, 'listPets', 'curl')} --silent --fail`)).toContain('"categoryId":')
  expect(await runCurl(`${await readCode(page, 'createPet', 'curl')} --silent --fail`)).toContain('"name":"Bella"')
})

test('the TypeScript code of an operation succeeds unchanged', async ({ page }) => {
  const code = await readCode(page, 'createPet', 'TypeScript')

  const output = await runProgram(process.execPath, ['--input-type=module', '--eval', code])

  expect(output).toMatch(/^201 .*"name":"Bella"/)
})

testWithPython('the Python code of an operation succeeds unchanged', async ({ page }) => {
  const code = await readCode(page, 'createPet', 'Python')

  const output = await runProgram(python, ['-c', code])

  expect(output).toMatch(/^201 .*"name":"Bella"/)
})

test('the code has the demo key that the reader has chosen', async ({ page }) => {
  await chooseDemoKey(page, 'business')

  for (const language of ['curl', 'TypeScript', 'Python']) {
    expect(await readCode(page, 'listPets', language)).toContain(inject('reference').demoKeys.business)
  }
})

test('unfolding a language folds the one before, by keyboard alone', async ({ page }) => {
  const operation = page.locator('#listPets')
  await operation.locator('summary', { hasText: 'curl' }).focus()

  await page.keyboard.press('Tab')
  // The button that copies the code of curl comes next.
  await page.keyboard.press('Tab')
  await page.keyboard.press('Enter')

  const unfolded = operation.locator('[data-language][open]')
  expect(await unfolded.count()).toBe(1)
  expect(await unfolded.getAttribute('data-language')).toBe('TypeScript')
})

test('without JavaScript the code of each language can be unfolded', async ({ open }) => {
  const page = await open({ javaScriptEnabled: false })
  const operation = page.locator('#listPets')
  expect(await operation.locator('[data-language] pre:visible').count()).toBe(1)

  await operation.locator('summary', { hasText: 'Python' }).click()

  expect(await operation.locator('[data-language="Python"] pre').isVisible()).toBe(true)
})
