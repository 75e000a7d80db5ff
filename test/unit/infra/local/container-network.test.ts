import { expect, test } from 'vitest'
import { readBridgeAddress } from '../../../../infra/local/container-network.ts'

// Recorded with Docker 20.10.24: the members of the output of "docker network inspect bridge" that are read.

test('the address of this machine in a network of Docker is the gateway of the network', () => {
  const inspected = '[{"Name": "bridge", "IPAM": {"Config": [{"Subnet": "172.18.0.0/16", "Gateway": "172.18.0.9"}]}}]'

  expect(readBridgeAddress(inspected)).toBe('172.18.0.9')
})

// Docker names no gateway when it has created the network itself, as on its first start on a machine.
test('the address of this machine is the first one of the subnet when Docker names no gateway', () => {
  const inspected = '[{"Name": "bridge", "IPAM": {"Config": [{"Subnet": "172.17.0.0/16"}]}}]'

  expect(readBridgeAddress(inspected)).toBe('172.17.0.1')
})

test('the address of this machine is an IPv4 address when the network has an IPv6 subnet too', () => {
  const inspected = '[{"IPAM": {"Config": [{"Subnet": "fd00::/64"}, {"Subnet": "172.17.0.0/16"}]}}]'

  expect(readBridgeAddress(inspected)).toBe('172.17.0.1')
})

test.each(['[]', '[{"Name": "bridge", "IPAM": {"Config": null}}]', '[{"name": "podman"}]'])(
  'this machine has no address in a network of Docker for the output %s',
  (inspected) => {
    expect(readBridgeAddress(inspected)).toBeUndefined()
  },
)
