import { beforeEach, expect, it, type MockInstance, vi } from 'vitest'
import { addPet } from '../../../shared/pets/add-pet.ts'
import { readGatewayEvent, replaceQuery } from '../../events/events.ts'
import { editItem } from '../../fixtures/database/edit-item.ts'
import { describeOnEachEngine } from '../../fixtures/database/engines.ts'
import { type CallFunction, loadFunctions } from '../../fixtures/service/functions.ts'
import { openService, type Service } from '../../fixtures/service/service.ts'

describeOnEachEngine('operations on a pet that cannot be read', (engine) => {
  let service: Service
  let callFunction: CallFunction
  let damagedId: bigint
  let log: MockInstance

  beforeEach(async () => {
    service = await openService(engine)
    callFunction = await loadFunctions(service)
    log = vi.spyOn(console, 'error').mockReturnValue(undefined)

    // The pet that cannot be read stands between two others.
    await addAvailablePet('Bella')
    damagedId = await addAvailablePet('Milo')
    await addAvailablePet('Luna')
    await editItem(service.client, service.tables.pets, { id: damagedId }, { name: undefined })
  })

  const addAvailablePet = async (name: string): Promise<bigint> => {
    service.time.advanceSeconds(1)
    const { id } = await addPet(service.pets, { name, categoryId: 1n, status: 'available' }, service.time.clock)
    return id
  }

  const list = (query: string) => callFunction('list-pets', replaceQuery(readGatewayEvent('list-pets'), query))

  it.each(['limit=20', 'limit=20&status=available'])(
    'a list with %s leaves out a pet that cannot be read, and logs one line with the pet and the request',
    async (query) => {
      const { statusCode, body, headers } = await list(query)

      expect(statusCode).toBe(200)
      expect(JSON.parse(body)).toMatchObject([{ name: 'Luna' }, { name: 'Bella' }])
      expect(headers).not.toHaveProperty('Link')
      const message = `The list leaves out items that cannot be read: 1. The first: pet ${damagedId} has no valid name.`
      expect(log.mock.calls).toEqual([
        [
          expect.objectContaining({
            operation: 'listPets',
            requestId: expect.any(String),
            keyId: expect.any(String),
            error: expect.stringContaining(message),
          }),
        ],
      ])
    },
  )

  it('getting a pet that cannot be read is 500, and the log has its id and attribute', async () => {
    const event = readGatewayEvent('get-pet', { pathParameters: { petId: String(damagedId) } })

    const { statusCode, body } = await callFunction('get-pet', event)

    expect(statusCode).toBe(500)
    expect(JSON.parse(body)).toMatchObject({ code: 'internal_error' })
    const message = `The pet ${damagedId} cannot be read: its item has no valid name.`
    expect(log.mock.calls).toEqual([[expect.objectContaining({ error: expect.stringContaining(message) })]])
  })
})
