/** CSI drivers that took over the provisioners which once were part of Kubernetes (KEP-625). */
const CSI_NAMES: Record<string, string> = {
  "kubernetes.io/aws-ebs": "ebs.csi.aws.com",
  "kubernetes.io/gce-pd": "pd.csi.storage.gke.io",
  "kubernetes.io/azure-disk": "disk.csi.azure.com",
  "kubernetes.io/azure-file": "file.csi.azure.com",
  "kubernetes.io/cinder": "cinder.csi.openstack.org",
  "kubernetes.io/vsphere-volume": "csi.vsphere.vmware.com",
  "kubernetes.io/portworx-volume": "pxd.portworx.com",
};

/** The driver that provisions under this name today. */
export const csiNameOf = (provisioner: string): string =>
  Object.hasOwn(CSI_NAMES, provisioner) ? CSI_NAMES[provisioner]! : provisioner;

/** The name is of Kubernetes' own, which provision nothing here. */
export const isInTree = (provisioner: string): boolean => provisioner.startsWith("kubernetes.io/");
