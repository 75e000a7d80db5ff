import { expect, test } from 'vitest'
import { readBridgeAddress } from '../../../../infra/local/container-network.ts'

// Recorded with Docker 20.10.24: the members of the output of "docker network inspect bridge" that are read.
test.each([
  {
    network: 'a network with a gateway',
    inspected: '[{"Name": "bridge", "IPAM": {"Config": [{"Subnet": "172.18.0.0/16", "Gateway": "172.18.0.9"}]}}]',
    address: '172.18.0.9',
  },
  {
    network: 'a network without a gateway, as after the first start of Docker on a machine',
    inspected: '[{"Name": "bridge", "IPAM": {"Config": [{"Subnet": "172.17.0.0/16"}]}}]',
    address: '172.17.0.1',
  },
  {
    network: 'a network that has an IPv6 subnet too',
    inspected: '[{"IPAM": {"Config": [{"Subnet": "fd00::/64"}, {"Subnet": "172.17.0.0/16"}]}}]',
    address: '172.17.0.1',
  },
  { network: 'no network', inspected: '[]', address: undefined },
  { network: 'a network without addresses', inspected: '[{"IPAM": {"Config": null}}]', address: undefined },
  { network: 'a network of Podman', inspected: '[{"name": "podman"}]', address: undefined },
])('the address of this machine in $network is $address', ({ inspected, address }) => {
  expect(readBridgeAddress(inspected)).toBe(address)
})
