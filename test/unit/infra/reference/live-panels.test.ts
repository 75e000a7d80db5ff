import { expect, inject, test } from 'vitest'
import { fixedPlans } from '../../../../shared/api-keys/plans.ts'
import { authorize, describeInBrowser, execute, openOperation, useBrowser } from './browser.ts'

const { openReference, readReference } = useBrowser()
const [, proKey = ''] = inject('demoKeys')
const largest = '9223372036854775807'

/** The tests share a page: the second one enters the key that those after it use, until it is forgotten. */
describeInBrowser('A live panel', () => {
  test('does not fill in an example, which would be sent', async () => {
    const page = await readReference()
    const create = await openOperation(page, 'pets', 'createPet')
    expect(await create.getByLabel('Idempotency-Key').inputValue()).toBe('')
    const list = await openOperation(page, 'pets', 'listPets')
    expect(await list.getByLabel('cursor').inputValue()).toBe('')
  })

  test('without a key shows 401', async () => {
    const page = await readReference()
    const list = await openOperation(page, 'pets', 'listPets')
    expect(await (await execute(list, 401)).innerText()).toContain('"code": "unauthorized"')
  })

  test('lists animals with a demo key of the page, and shows the limits and the next page', async () => {
    const page = await readReference()
    await page.getByRole('button', { name: 'Use the demo key of the pro plan' }).click()
    expect(await page.getByRole('status').textContent()).toContain('the demo key of the pro plan')
    const examples = await page.locator('.copied code', { hasText: 'Authorization' }).allInnerTexts()
    expect(examples.length).toBeGreaterThan(3)
    for (const example of examples) expect(example).toContain(`Bearer ${proKey}`)
    const list = await openOperation(page, 'pets', 'listPets')
    await list.getByLabel('limit').fill('2')
    const shown = await (await execute(list, 200)).innerText()
    for (const header of [
      `x-ratelimit-limit: ${fixedPlans.pro.perMinute}`,
      'x-ratelimit-remaining:',
      'x-ratelimit-reset:',
      'ratelimit-policy:',
      'ratelimit:',
    ]) {
      expect(shown).toContain(header)
    }
    expect(shown).toMatch(/link: <.*cursor=.*>; rel="next"/)
    expect(shown.match(/"id": \d+/g)).toHaveLength(2)
  })

  test('keeps an int64 to its last digit: as it is sent, as curl sends it, and as it comes back', async () => {
    const page = await readReference()
    const create = await openOperation(page, 'pets', 'createPet')
    await create.getByLabel('Request body').fill(`{"name":"Bella","categoryId":${largest}}`)
    const sent = page.waitForRequest((request) => request.method() === 'POST')
    const response = await execute(create, 201)
    expect((await sent).postData()).toBe(`{"name":"Bella","categoryId":${largest}}`)
    expect(await create.locator('.curl-command').innerText()).toContain(`"categoryId":${largest}`)
    expect(await response.innerText()).toContain(`"categoryId": ${largest},`)

    const get = await openOperation(page, 'pets', 'getPet')
    await get.getByRole('textbox', { name: 'petId' }).fill(largest)
    await execute(get, 404)
    expect(await get.locator('.request-url').innerText()).toContain(`/pets/${largest}`)
  })

  test('forgets the key with the page', async () => {
    const page = await readReference()
    expect(await page.context().storageState()).toEqual({ cookies: [], origins: [] })
    await page.reload()
    await execute(await openOperation(page, 'pets', 'listPets'), 401)
  })

  test('of a key whose limit is used up shows 429, the error body and Retry-After', async () => {
    const page = await openReference()
    await authorize(page, inject('usedUpKey'))
    const list = await openOperation(page, 'pets', 'listPets')
    await execute(list, 200)
    const shown = await (await execute(list, 429)).innerText()
    expect(shown).toMatch(/retry-after: \d+/)
    expect(shown).toContain('"code": "rate_limit_exceeded"')
    expect(shown).toContain('x-ratelimit-remaining: 0')
  })
})

describeInBrowser('An operation', () => {
  test('that the contract reserves has no live panel, and says so while it is closed', async () => {
    const page = await readReference()
    const summary = page.locator('#operations-store-listStoreOrders .opblock-summary-control')
    expect(await summary.innerText()).toContain('Reserved: no live panel')
    const reserved = await openOperation(page, 'store', 'listStoreOrders')
    expect(await reserved.getByRole('button', { name: /Execute|Try it out/ }).count()).toBe(0)
  })

  test('that is deprecated says until when it works and what to use instead, while it is closed', async () => {
    const page = await readReference()
    const summary = page.locator('#operations-pets-getPet .opblock-summary-control')
    expect(await summary.innerText()).toContain(
      'Deprecated, removed on 5 December 2030. No other operation fetches an animal by its id: keep the animals that GET /pets returns.',
    )
  })

  test('folds its errors, and unfolds one on demand', async () => {
    const list = await openOperation(await readReference(), 'pets', 'listPets')
    const unauthorized = list.locator('.response[data-code="401"]').first()
    expect(await unauthorized.locator('.shown-code').count()).toBe(0)
    await unauthorized.locator('summary').click()
    expect(await unauthorized.locator('.shown-code').innerText()).toContain('"code": "unauthorized"')
  })
})
