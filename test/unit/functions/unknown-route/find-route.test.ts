import { describe, expect, it } from 'vitest'
import { findRoute } from '../../../../functions/unknown-route/find-route.ts'

const routes = [
  { path: '/pets', methods: ['GET', 'POST'] },
  { path: '/pets/{petId}', methods: ['GET'] },
  { path: '/store/orders', methods: ['GET'] },
]

describe('the route of a path', () => {
  it.each([
    ['pets', '/pets'],
    ['pets/5', '/pets/{petId}'],
    ['pets/none', '/pets/{petId}'],
    ['store/orders', '/store/orders'],
  ])('is found: %s', (path, route) => {
    expect(findRoute(routes, path)?.path).toBe(route)
  })

  it.each(['', 'pets/', 'pets/5/toys', 'Pets', 'store', 'store/orders/5', '/pets', 'pets/{petId}/'])(
    'is none: %j',
    (path) => {
      expect(findRoute(routes, path)).toBeUndefined()
    },
  )
})
